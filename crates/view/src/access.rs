//! Access control: which clients are answered.

use crate::http::{Request, Response};

/// The cookie that holds the token after the first request.
const COOKIE: &str = "unstick_token";

/// Which clients are answered.
#[derive(Clone, Debug)]
pub struct Access {
    /// The token that a client must show; none if every client of this machine is answered.
    pub token: Option<String>,
}

impl Access {
    /// Whether a token is hard to guess and fits into an address and a cookie.
    pub fn is_token(token: &str) -> bool {
        (16..=128).contains(&token.len())
            && token.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    }

    /// Refuses a request that is not allowed.
    pub fn check(&self, request: &Request) -> Result<(), Response> {
        match &self.token {
            Some(token) => check_token(request, token),
            None => check_host(request),
        }?;
        // A browser names the page that asks. Pages of other sites may neither act nor listen.
        let is_foreign = request.header("origin").is_some_and(|origin| {
            let host = origin.split_once("://").map_or("", |(_, host)| host);
            request.header("host").is_none_or(|own| !own.eq_ignore_ascii_case(host))
        });
        if is_foreign { Err(Response::text(403, "this server answers only its own page")) } else { Ok(()) }
    }

    /// The cookie for a client that showed the token in the address.
    pub fn cookie(&self, request: &Request) -> Option<String> {
        let token = self.token.as_ref().filter(|token| request.parameter("token") == Some(token))?;
        Some(format!("{COOKIE}={token}; Path=/; HttpOnly; SameSite=Strict"))
    }
}

fn check_token(request: &Request, token: &str) -> Result<(), Response> {
    let bearer = request.header("authorization").and_then(|value| value.strip_prefix("Bearer "));
    let shown = [request.cookie(COOKIE), bearer, request.parameter("token")];
    if shown.into_iter().flatten().any(|shown| is_same(shown, token)) {
        return Ok(());
    }
    Err(Response::text(401, "this needs the token: open the address that `unstick view` printed"))
}

/// Without a token the host must be a name of this machine. Otherwise another site could point its own name here.
fn check_host(request: &Request) -> Result<(), Response> {
    let host = request.header("host").unwrap_or_default();
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    if ["localhost", "127.0.0.1", "[::1]"].contains(&name) {
        return Ok(());
    }
    Err(Response::text(403, "this server is known as localhost; other names need a token"))
}

/// Compares in a time that does not depend on how many letters are right.
fn is_same(shown: &str, token: &str) -> bool {
    shown.len() == token.len() && shown.bytes().zip(token.bytes()).fold(0, |differ, (a, b)| differ | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "0123456789abcdef";

    fn status(token: Option<&str>, request: &str) -> u16 {
        let access = Access { token: token.map(String::from) };
        access.check(&Request::of(request)).map_or_else(|refusal| refusal.status, |()| 200)
    }

    #[test]
    fn tokens_are_long_and_fit_into_an_address() {
        assert!(Access::is_token(TOKEN) && Access::is_token("a-b_c.d-e_f.g-h_i"));
        for token in ["", "0123456789abcde", "0123456789abcde&", "0123456789abcdé", &"a".repeat(129)] {
            assert!(!Access::is_token(token), "{token}");
        }
    }

    #[test]
    fn without_a_token_only_names_of_this_machine_are_answered() {
        for host in ["localhost", "localhost:8642", "127.0.0.1:1", "[::1]:8642"] {
            assert_eq!(status(None, &format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n")), 200, "{host}");
        }
        for host in ["evil.example", "localhost.evil.example:80", "localhost:80:evil", ""] {
            assert_eq!(status(None, &format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n")), 403, "{host}");
        }
        assert_eq!(status(None, "GET / HTTP/1.1\r\n\r\n"), 403);
    }

    #[test]
    fn a_token_is_taken_from_the_address_a_cookie_or_a_header() {
        let shown = [
            format!("GET /?a=b&token={TOKEN} HTTP/1.1\r\n\r\n"),
            format!("GET / HTTP/1.1\r\nCookie: a=b; {COOKIE}={TOKEN}\r\n\r\n"),
            format!("GET / HTTP/1.1\r\nAuthorization: Bearer {TOKEN}\r\n\r\n"),
        ];
        for request in shown {
            assert_eq!(status(Some(TOKEN), &request), 200, "{request}");
            assert_eq!(status(Some(TOKEN), &request.replace('f', "g")), 401, "{request}");
        }
        let access = Access { token: Some(TOKEN.into()) };
        assert_eq!(access.cookie(&Request::of("GET / HTTP/1.1\r\n\r\n")), None);
    }

    #[test]
    fn pages_of_other_sites_are_refused() {
        let request = |origin: &str| format!("GET / HTTP/1.1\r\nHost: localhost:1\r\nOrigin: {origin}\r\n\r\n");
        assert_eq!(status(None, &request("http://LOCALHOST:1")), 200);
        for origin in ["http://localhost:2", "http://evil.example", "null", ""] {
            assert_eq!(status(None, &request(origin)), 403, "{origin}");
        }
    }
}
