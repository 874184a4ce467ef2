//! Who may ask the page's server. `tests/pages` looks at the page in a browser.

use needs_macros::needs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use super::server::{Live, Place};

/// Sends a request as it is. Returns the status, and the content of the answer.
fn ask(host: &str, request: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(host).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(!head.to_lowercase().contains("access-control"), "{head}");
    (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
}

#[needs("clang")]
fn only_the_page_itself_gets_data() {
    let place = Place::build();
    let live = Live::start(&place, &["--object", "server", "profiles"]);
    let (host, token) = live.address.strip_prefix("http://").unwrap().split_once("/#").unwrap();
    let port = host.rsplit(':').next().unwrap();
    let send = |line: &str, headers: &[&str]| {
        ask(
            host,
            &format!(
                "{line} HTTP/1.1\r\nConnection: close\r\n{}\r\n",
                headers.iter().map(|header| format!("{header}\r\n")).collect::<String>()
            ),
        )
    };
    let (own, key) = (format!("Host: {host}"), format!("X-Profrt-Token: {token}"));
    let origin = format!("Origin: http://{host}");

    // The page has no data, and needs no token, which a browser does not send.
    let (status, page) = send("GET /", &[&own]);
    assert!(status == 200 && page.contains("<!doctype html>") && !page.contains("handlers.c") && !page.contains(token));
    for headers in [&[&*own, &*key][..], &[&own, &key, &origin, "Sec-Fetch-Site: same-origin"]] {
        for question in ["GET /data?after=0", "GET /data?source=0"] {
            let (status, data) = send(question, headers);
            assert!(status == 200 && data.contains("handlers.c") || data.contains("static int list"), "{data}");
        }
    }
    assert_eq!(send("POST /mark?name=a", &[&own, &key]).0, 200);

    let wrong = format!("X-Profrt-Token: {}", token.chars().rev().collect::<String>());
    let (short, long) = (format!("X-Profrt-Token: {}", &token[1..]), format!("{key}0"));
    let other_port = format!("Host: 127.0.0.1:{}", port.parse::<u16>().unwrap() ^ 1);
    let (name, rebound) = (format!("Host: localhost:{port}"), format!("Host: evil.example:{port}"));
    let other_origin = format!("Origin: http://localhost:{port}");
    let refused: &[&[&str]] = &[
        &[&own],
        &[&own, "X-Profrt-Token: "],
        &[&own, &wrong],
        &[&own, &short],
        &[&own, &long],
        &[&key],
        &[&name, &key],
        &[&rebound, &key],
        &[&other_port, &key],
        &[&own, &rebound, &key],
        &[&own, &key, "Origin: http://evil.example"],
        &[&own, &key, "Origin: null"],
        &[&own, &key, &other_origin],
        &[&own, &key, &origin, "Sec-Fetch-Site: cross-site"],
        &[&own, &key, "Sec-Fetch-Site: same-site"],
    ];
    for headers in refused {
        for line in ["GET /data?after=0", "GET /data?source=0", "POST /mark?name=b"] {
            let (status, data) = send(line, headers);
            assert!(matches!(status, 400 | 403), "{line} {headers:?}: {status}");
            assert_eq!(data, "", "{line} {headers:?}");
        }
    }
    for line in [
        "GET /etc/passwd",
        "GET /../../etc/passwd",
        "GET /data/../x",
        "GET //data",
        "GET /source",
        "DELETE /data",
        "OPTIONS /data",
    ] {
        let (status, data) = send(line, &[&own, &key]);
        assert!(matches!(status, 404 | 405) && data.is_empty(), "{line}: {status} {data}");
    }
    // There is one program with two sources at most.
    for question in ["source=99", "source=../../../etc/passwd", "source=-1", "source=4294967295"] {
        let (_, data) = send(&format!("GET /data?{question}"), &[&own, &key]);
        assert!(!data.contains("\"file\"") && !data.contains("root:"), "{question}: {data}");
    }
}
