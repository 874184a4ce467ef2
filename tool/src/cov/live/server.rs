//! The page, on the loopback address. Whoever asks for data must know the token, and be the page itself.
//!
//! The token is in the fragment of the page's address, which browsers send to nobody. `Host` keeps out names that lead here (DNS rebinding),
//! `Origin` and `Sec-Fetch-Site` other pages in the same browser.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::task::{Context as Poller, Poll};

use anyhow::{Context as _, Result};
use axum::Router;
use axum::extract::{Query, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::serve::Listener;
use data_encoding::HEXLOWER;
use serde::Deserialize;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::oneshot;

use super::Message;
use super::marks::Mark;
use super::page::Question;
use crate::cov::html::shell;

/// The header that has the token.
const TOKEN: &str = "x-profrt-token";

/// What all answers need.
struct Shared {
    /// `127.0.0.1:PORT`.
    host: String,
    token: String,
    page: String,
    sender: Sender<Message>,
}

/// Starts the server on a thread of its own. Returns the address of the page. Errors: those of the system.
pub(super) fn start(sender: Sender<Message>) -> Result<String> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no port for the page")?;
    listener.set_nonblocking(true)?;
    let host = listener.local_addr()?.to_string();
    let mut random = [0; 16];
    File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut random)).context("no random numbers")?;
    let shared = Arc::new(Shared { host, token: HEXLOWER.encode(&random), page: shell::live()?, sender });
    let address = format!("http://{}/#{}", shared.host, shared.token);
    let router = Router::new()
        .route("/data", get(data))
        .route("/mark", post(mark))
        .route_layer(from_fn_with_state(shared.clone(), with_token))
        .route("/", get(page))
        .layer(from_fn_with_state(shared.clone(), from_here))
        .with_state(shared);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("no server")?;
    std::thread::spawn(move || {
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            axum::serve(Bounded { listener, open: VecDeque::new() }, router).await
        })
    });
    Ok(address)
}

/// The most connections: browsers open at most six for a page, and come back for one that was closed.
const MOST: usize = 100;

/// Accepts connections. Whoever is on this machine may open them, and leave them idle: one too many closes the oldest.
struct Bounded {
    listener: tokio::net::TcpListener,
    /// Each closes its connection when it is dropped.
    open: VecDeque<oneshot::Sender<()>>,
}

impl Listener for Bounded {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        let (stream, address) = Listener::accept(&mut self.listener).await;
        self.open.retain(|open| !open.is_closed());
        if self.open.len() == MOST {
            self.open.pop_front();
        }
        let (open, closed) = oneshot::channel();
        self.open.push_back(open);
        (Connection { stream, closed }, address)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// A connection that ends when it is one too many.
struct Connection {
    stream: TcpStream,
    closed: oneshot::Receiver<()>,
}

impl AsyncRead for Connection {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Poller<'_>, to: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if Pin::new(&mut self.closed).poll(cx).is_ready() {
            return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
        }
        Pin::new(&mut self.stream).poll_read(cx, to)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Poller<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Poller<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Poller<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// Lets only requests pass that this page, or a user who opens it, can have made.
async fn from_here(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let headers = request.headers();
    let is = |name, wanted: &dyn Fn(&str) -> bool| {
        headers.get_all(name).iter().all(|value| value.to_str().is_ok_and(wanted))
    };
    let is_here = headers.get(header::HOST).is_some()
        && is(header::HOST, &|host| host == shared.host)
        && is(header::ORIGIN, &|origin| origin.strip_prefix("http://") == Some(&shared.host))
        && is(header::HeaderName::from_static("sec-fetch-site"), &|site| matches!(site, "same-origin" | "none"));
    if is_here { next.run(request).await } else { StatusCode::FORBIDDEN.into_response() }
}

/// Lets only requests with the token pass.
async fn with_token(State(shared): State<Arc<Shared>>, headers: HeaderMap, request: Request, next: Next) -> Response {
    let token = headers.get(TOKEN).map_or(&b""[..], |token| token.as_bytes());
    // Takes as long for each wrong token.
    let differences = token.iter().zip(shared.token.as_bytes()).fold(0, |all, (one, other)| all | (one ^ other));
    let is_known = token.len() == shared.token.len() && differences == 0;
    if is_known { next.run(request).await } else { StatusCode::FORBIDDEN.into_response() }
}

async fn page(State(shared): State<Arc<Shared>>) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_FRAME_OPTIONS, "DENY"),
    ];
    (headers, shared.page.clone()).into_response()
}

async fn data(State(shared): State<Arc<Shared>>, Query(question): Query<Question>) -> Response {
    answer(&shared, |reply| Message::Ask(question, reply)).await
}

/// A mark that the page sets.
#[derive(Deserialize)]
struct Named {
    name: Option<String>,
}

async fn mark(State(shared): State<Arc<Shared>>, Query(Named { name }): Query<Named>) -> Response {
    let name = name.filter(|name| !name.is_empty());
    if let Err(error) = name.as_deref().map_or(Ok(()), Mark::check) {
        return (StatusCode::BAD_REQUEST, error.to_string()).into_response();
    }
    answer(&shared, |reply| Message::Mark(name, reply)).await
}

/// Asks the thread that has the counts.
async fn answer(shared: &Shared, message: impl FnOnce(super::Reply) -> Message) -> Response {
    let (reply, answer) = oneshot::channel();
    let asked = shared.sender.send(message(Box::new(move |text| _ = reply.send(text))));
    match (asked, answer.await) {
        (Ok(()), Ok(text)) => {
            ([(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")], text).into_response()
        }
        _ => StatusCode::SERVICE_UNAVAILABLE.into_response(),
    }
}
