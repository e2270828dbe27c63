//! Who may come in.

use crate::http::{Request, Response};

/// The cookie that keeps a token after the first request.
pub const COOKIE: &str = "unstick_token";

/// Who may come in.
#[derive(Clone, Debug)]
pub struct Access {
    /// What a client must know; none on loopback if none was given.
    pub token: Option<String>,
}

impl Access {
    /// Whether a token cannot be guessed and fits into an address and a cookie.
    pub fn is_token(token: &str) -> bool {
        (16..=128).contains(&token.len())
            && token.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    }

    /// Refuses whoever may not come in.
    pub fn check(&self, request: &Request) -> Result<(), Response> {
        match &self.token {
            Some(token) => self.check_token(request, token),
            None => check_host(request),
        }?;
        // Pages of other sites cannot ask for actions, nor listen in: browsers name the page that asks.
        let is_foreign = request.header("origin").is_some_and(|origin| {
            let host = origin.split_once("://").map_or("", |(_, host)| host);
            request.header("host").is_none_or(|own| !own.eq_ignore_ascii_case(host))
        });
        if is_foreign { Err(Response::text(403, "this server answers its own page alone")) } else { Ok(()) }
    }

    fn check_token(&self, request: &Request, token: &str) -> Result<(), Response> {
        let bearer = request.header("authorization").and_then(|value| value.strip_prefix("Bearer "));
        let shown = [request.cookie(COOKIE), bearer, request.parameter("token")];
        if shown.into_iter().flatten().any(|shown| is_same(shown, token)) {
            return Ok(());
        }
        Err(Response::text(401, "this takes the token: open the address that `unstick view` has printed"))
    }

    /// The cookie for a client that showed the token in the address.
    pub fn cookie(&self, request: &Request) -> Option<String> {
        let token = self.token.as_ref().filter(|token| request.parameter("token") == Some(token))?;
        Some(format!("{COOKIE}={token}; Path=/; HttpOnly; SameSite=Strict"))
    }
}

/// On loopback the name must be one of this machine: else another site's name could be made to lead here.
fn check_host(request: &Request) -> Result<(), Response> {
    let host = request.header("host").unwrap_or_default();
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    if ["localhost", "127.0.0.1", "[::1]"].contains(&name) {
        return Ok(());
    }
    Err(Response::text(403, "this server is known as localhost; a token lets other names in"))
}

/// Compares in a time that does not tell how much is right.
fn is_same(shown: &str, token: &str) -> bool {
    shown.len() == token.len() && shown.bytes().zip(token.bytes()).fold(0, |differ, (a, b)| differ | (a ^ b)) == 0
}
