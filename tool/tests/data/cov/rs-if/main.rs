fn always(x: u32) -> u32 {       //= 2
    let mut r = 0;               //= 2
    if x > 0 {                   //= 2
        r += 1;                  //= 2
    }                            //= 2
    r                            //= 2
}                                //= 2
fn early(x: u32) -> u32 {        //= 1
    {
        if x > 0 {               //= 1
            return 5;            //= 1
        }                        //= ?
        println!("early");       //= 0
    }                            //= ?
    return 3;                    //= 0
}                                //= ?
fn main() {                      //= 1
    always(1);                   //= 1
    always(2);                   //= 1
    early(1);                    //= 1
}                                //= 1
