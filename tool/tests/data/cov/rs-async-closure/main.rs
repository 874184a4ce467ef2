use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

fn block_on<F: Future>(f: F) -> F::Output { //= ?
    let mut f = pin!(f);
    let mut cx = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(v) = f.as_mut().poll(&mut cx) {
            return v;
        }
    }
}

async fn plain() -> u32 { //= 1
    let x = 1; //= 1
    x + 1 //= 1
} //= 1

async fn run<F: AsyncFn(u32) -> u32>(f: F) -> u32 { //= 1
    f(1) //= 1
        .await //= 1
} //= 1

fn main() { //= 1
    let by_ref = async |x: u32| { //= ?
        let y = x + 1; //= 1
        y * 2 //= 1
    }; //= ?
    let never = async |x: u32| { //= ?
        x * 3 //= 0
    }; //= ?
    assert_eq!(block_on(plain()), 2); //= 1
    assert_eq!(block_on(run(by_ref)), 4); //= 1
    let block = async { //= 1
        7 //= 1
    }; //= ?
    assert_eq!(block_on(block), 7); //= 1
    if std::env::args().count() > 5 { //= 1
        block_on(run(never)); //= 0
    } //= ?
} //= 1
