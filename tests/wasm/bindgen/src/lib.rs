pub fn sign(x: i32) -> &'static str {
    if x > 0 {
        "positive" // 3
    } else if x < 0 {
        "negative" // 1
    } else {
        "zero" // 1
    }
}

#[cfg(test)]
mod tests {
    use super::sign;
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn positive() {
        assert!((1..4).all(|x| sign(x) == "positive"));
    }

    #[wasm_bindgen_test]
    fn zero() {
        assert_eq!(sign(0), "zero");
    }
}
