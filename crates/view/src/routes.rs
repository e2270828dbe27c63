//! The addresses of the server.
//!
//! ```text
//!     GET  /, /style.css, /js/…                  the page, embedded in the program
//!     GET  /wasm/sandbox.wasm                    the sandbox's simulator, if it was built
//!     GET  /api/runs                             the runs and what they hold now
//!     GET  /api/runs/R/scene                     what does not change during run R
//!     GET  /api/runs/R/particles/N, …/surface/N  a layer of frame N
//!     GET  /api/runs/R/picture/N                 frame N as PNG
//!     GET  /api/runs/R/table/K                   statistics
//!     GET  /api/runs/R/movie
//!     POST /api/runs/R/stop                      write a checkpoint and stop
//!     GET  /api/watch                            events: the answer of /api/runs, again after every change
//! ```

use unstick_scene::sink::view::LAYERS;

use crate::http::{Request, Response};
use crate::library::{Item, Library};
use crate::page;

/// Answers a request that is allowed.
pub fn answer(request: &Request, library: &Library) -> Response {
    let is_read = matches!(request.method.as_str(), "GET" | "HEAD");
    let parts: Vec<&str> = request.path.trim_start_matches('/').split('/').collect();
    match parts.as_slice() {
        ["api", "runs"] if is_read => Response::json(&library.state()),
        ["api", "runs", run, "stop"] if request.method == "POST" => match number(run) {
            Some(run) => match library.stop(run) {
                Ok(()) => Response::text(202, "asked to write a checkpoint and stop"),
                Err(reason) => Response::text(409, &reason),
            },
            None => not_found(),
        },
        ["api", "runs", run, rest @ ..] if is_read => {
            number(run).zip(item(rest)).and_then(|(run, item)| serve(library, run, item)).unwrap_or_else(not_found)
        }
        ["api", ..] => not_found(),
        _ if is_read => match page::find(&request.path) {
            Some((kind, bytes)) => Response::embedded(kind, bytes),
            None if request.path == page::SIMULATOR_ADDRESS => {
                Response::text(404, &crate::ViewError::NoSandbox.to_string())
            }
            None => not_found(),
        },
        _ => Response::text(405, "that cannot be done here"),
    }
}

fn serve(library: &Library, run: usize, item: Item) -> Option<Response> {
    let (file, kind) = library.open_item(run, item)?;
    let response = Response::file(kind, file).ok()?;
    Some(match item {
        Item::Scene | Item::Layer(..) => response.with("Content-Encoding", "gzip"),
        _ => response,
    })
}

fn item(parts: &[&str]) -> Option<Item> {
    match parts {
        ["scene"] => Some(Item::Scene),
        ["movie"] => Some(Item::Movie),
        ["picture", frame] => Some(Item::Picture(number(frame)?)),
        ["table", table] => Some(Item::Table(number(table)?)),
        [layer, frame] => Some(Item::Layer(LAYERS.iter().position(|name| name == layer)?, number(frame)?)),
        _ => None,
    }
}

/// A number that is written in digits only.
fn number(text: &str) -> Option<usize> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

fn not_found() -> Response {
    Response::text(404, "there is nothing here")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_and_known_names_are_understood() {
        assert_eq!(item(&["surface", "12"]), Some(Item::Layer(1, 12)));
        for parts in [&["surface", "+1"][..], &["surface", ".."], &["..", "1"], &["picture", "1.png"], &["scene", ""]] {
            assert_eq!(item(parts), None, "{parts:?}");
        }
        assert_eq!((number(""), number("99999999999999999999999")), (None, None));
    }

    #[test]
    fn every_method_and_address_has_an_answer() {
        let status = |line: &str| answer(&Request::of(&format!("{line} HTTP/1.1\r\n\r\n")), &Library::default()).status;
        assert_eq!((status("GET /"), status("HEAD /js/main.js"), status("GET /js/colours.js")), (200, 200, 200));
        assert_eq!(status("GET /wasm/sandbox.wasm"), if crate::has_sandbox() { 200 } else { 404 });
        assert_eq!((status("GET /api/runs"), status("GET /api/runs/0/scene"), status("GET /none")), (200, 404, 404));
        assert_eq!(
            (status("POST /api/runs/0/stop"), status("POST /api/runs/x/stop"), status("PUT /")),
            (409, 404, 405)
        );
    }
}
