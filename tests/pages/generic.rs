//! A program with a generic function and a match.

fn largest<T: PartialOrd + Copy>(items: &[T]) -> Option<T> {
    let mut items = items.iter().copied();
    let mut largest = items.next()?;
    for item in items {
        if item > largest {
            largest = item;
        }
    }
    Some(largest)
}

fn word(number: i32) -> &'static str {
    match number {
        0 => "none",
        1 => "one",
        _ if number < 0 => "less than none",
        _ => "many",
    }
}

fn main() {
    println!("{:?} {:?}", largest(&[1, 3, 2]), largest(&[0.5, 0.25]));
    println!("{} {}", word(1), word(7));
}
