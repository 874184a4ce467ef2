use wasm_bindgen_test::wasm_bindgen_test;

#[wasm_bindgen_test]
fn negative() {
    assert_eq!(bindgen::sign(-1), "negative");
}
