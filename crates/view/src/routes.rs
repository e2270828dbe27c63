//! What can be asked for.
//!
//! ```text
//!     GET  /, /style.css, /js/…, /sandbox.wasm   the page, out of the program itself
//!     GET  /api/runs                             what there is
//!     GET  /api/runs/R/scene                     what does not change
//!     GET  /api/runs/R/particles/N, …/surface/N  a layer of frame N
//!     GET  /api/runs/R/picture/N                 frame N as PNG
//!     GET  /api/runs/R/table/K                   statistics
//!     GET  /api/runs/R/movie
//!     POST /api/runs/R/stop                      checkpoint and end
//!     GET  /api/watch                            a WebSocket: the answer of /api/runs whenever it changes
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
        ["api", "runs"] if is_read => Response::json(&library.look()),
        ["api", "runs", run, "stop"] if request.method == "POST" => match number(run) {
            Some(run) => match library.stop(run) {
                Ok(()) => Response::text(202, "asked to write a checkpoint and stop"),
                Err(reason) => Response::text(409, &reason),
            },
            None => nothing(),
        },
        ["api", "runs", run, rest @ ..] if is_read => {
            number(run).zip(item(rest)).and_then(|(run, item)| serve(library, run, item)).unwrap_or_else(nothing)
        }
        ["api", ..] => nothing(),
        _ if is_read => page::find(&request.path).unwrap_or_else(nothing),
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

/// Digits and nothing else.
fn number(text: &str) -> Option<usize> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

fn nothing() -> Response {
    Response::text(404, "there is nothing here")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_but_numbers_and_known_names_is_understood() {
        assert_eq!(item(&["surface", "12"]), Some(Item::Layer(1, 12)));
        for parts in [&["surface", "+1"][..], &["surface", ".."], &["..", "1"], &["picture", "1.png"], &["scene", ""]] {
            assert_eq!(item(parts), None, "{parts:?}");
        }
        assert_eq!((number(""), number("99999999999999999999999")), (None, None));
    }
}
