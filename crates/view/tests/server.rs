//! The server as strangers meet it: what it serves, what it refuses, and that it stays up.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use unstick_scene::SceneFile;
use unstick_scene::run::{RunFolder, RunRequest, RunState, Session, StatusWriter};
use unstick_view::{Options, Server, ViewError};

/// A run of two frames on a small grid.
fn make_run(folder: &Path) {
    let mut file = SceneFile::find("dam-break").unwrap();
    for set in ["grid.cells=[16,12]", "time.frames=2"] {
        file.set(set).unwrap();
    }
    file.set("output.frames=false").unwrap();
    let request = RunRequest { folder: Some(RunFolder::new(folder)), ..RunRequest::new(file) };
    let mut session = Session::open(request, Arc::default()).unwrap();
    session.advance(&AtomicBool::new(false)).unwrap();
}

/// A server for a folder; it ends with the test.
fn serve(options: Options) -> SocketAddr {
    let server = Server::bind(&Options { port: 0, ..options }).unwrap();
    let url = server.url();
    std::thread::spawn(move || server.serve());
    url.strip_prefix("http://").unwrap().split('/').next().unwrap().parse().unwrap()
}

fn serve_run() -> (tempfile::TempDir, SocketAddr) {
    let folder = tempfile::tempdir().unwrap();
    make_run(&folder.path().join("run"));
    std::fs::write(folder.path().join("secret.txt"), "not for you").unwrap();
    let address = serve(Options { folders: vec![folder.path().join("run")], ..Options::default() });
    (folder, address)
}

/// Sends bytes as they are; the status and all that comes back.
fn send(address: SocketAddr, request: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let answer = String::from_utf8_lossy(&answer).into_owned();
    (answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0), answer)
}

fn request(method: &str, path: &str, address: SocketAddr, headers: &str) -> String {
    format!("{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{headers}\r\n")
}

fn get(address: SocketAddr, path: &str) -> (u16, String) {
    send(address, &request("GET", path, address, ""))
}

#[test]
fn the_page_and_the_files_of_a_run_are_served() {
    let (_folder, address) = serve_run();
    let (status, page) = get(address, "/");
    assert!(status == 200 && page.contains("<title>unstick</title>") && page.contains("default-src 'none'"));
    let (status, runs) = get(address, "/api/runs");
    assert!(status == 200 && runs.contains("\"whole\":[[0,1]]"), "{runs}");
    for path in ["scene", "particles/1", "surface/0", "table/0"] {
        assert_eq!(get(address, &format!("/api/runs/0/{path}")).0, 200, "{path}");
    }
    for path in ["particles/2", "surface/99999999999999999999", "picture/0", "movie", "table/1", "nothing"] {
        assert_eq!(get(address, &format!("/api/runs/0/{path}")).0, 404, "{path}");
    }
}

#[test]
fn a_frame_is_offered_when_all_its_layers_are_there() {
    let (folder, address) = serve_run();
    std::fs::remove_file(folder.path().join("run/view/surface/0001.gz")).unwrap();
    let (_, runs) = get(address, "/api/runs");
    assert!(runs.contains("\"whole\":[[0,0]]"), "{runs}");
}

#[test]
fn nothing_outside_of_the_run_is_served() {
    let (folder, address) = serve_run();
    let ways = [
        "/../secret.txt",
        "/../../secret.txt",
        "/api/runs/0/../../secret.txt",
        "/api/runs/0/particles/../../../secret.txt",
        "/api/runs/0/%2e%2e/%2e%2e/secret.txt",
        "/api/runs/0/particles/%2e%2e%2f%2e%2e%2fsecret.txt",
        "/api/runs/0/particles/..%5c..%5csecret.txt",
        "/api/runs/0/run.json",
        "//etc/passwd",
        "/js/../../../Cargo.toml",
        "/api/runs/0/particles/1%00",
        "/api/runs/-1/scene",
        "/api/runs/7/scene",
    ];
    for path in ways {
        let (status, answer) = get(address, path);
        assert!(status == 404 && !answer.contains("not for you"), "{path}: {answer}");
    }
    #[cfg(unix)]
    {
        let picture = folder.path().join("run/frames/0007.png");
        std::fs::create_dir_all(picture.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(folder.path().join("secret.txt"), &picture).unwrap();
        let (status, answer) = get(address, "/api/runs/0/picture/7");
        assert!(status == 404 && !answer.contains("not for you"), "a link that leads out: {answer}");
    }
}

#[test]
fn strangers_are_refused() {
    let (_folder, address) = serve_run();
    let other_name = "GET /api/runs HTTP/1.1\r\nHost: evil.example:80\r\nConnection: close\r\n\r\n";
    assert_eq!(send(address, other_name).0, 403);
    let foreign = "Origin: http://evil.example\r\n";
    assert_eq!(send(address, &request("POST", "/api/runs/0/stop", address, foreign)).0, 403);
    assert_eq!(send(address, &request("GET", "/api/watch", address, foreign)).0, 403);
    let own = format!("Origin: http://{address}\r\n");
    assert_eq!(send(address, &request("POST", "/api/runs/0/stop", address, &own)).0, 409, "that run is not going");
    assert_eq!(send(address, &request("DELETE", "/api/runs/0/scene", address, "")).0, 404);
}

#[test]
fn other_machines_take_a_token() {
    let everyone = Options { address: [0, 0, 0, 0].into(), port: 0, ..Options::default() };
    assert!(matches!(Server::bind(&everyone), Err(ViewError::NeedsToken { .. })));
    let short = Options { token: Some("short".into()), ..everyone.clone() };
    assert!(matches!(Server::bind(&short), Err(ViewError::Token(5))));
    let token = "0123456789abcdef";
    let mut address = serve(Options { token: Some(token.into()), ..everyone });
    address.set_ip([127, 0, 0, 1].into());
    assert_eq!(get(address, "/").0, 401);
    assert_eq!(get(address, "/?token=0123456789abcdeX").0, 401);
    let (status, answer) = get(address, &format!("/?token={token}"));
    assert!(status == 200 && answer.contains("HttpOnly; SameSite=Strict"), "{answer}");
    let cookie = format!("Cookie: a=b; unstick_token={token}\r\n");
    assert_eq!(send(address, &request("GET", "/api/runs", address, &cookie)).0, 200);
    let bearer = format!("Authorization: Bearer {token}\r\n");
    assert_eq!(send(address, &request("GET", "/api/runs", address, &bearer)).0, 200);
}

#[test]
fn what_is_too_long_or_no_http_is_refused_and_the_server_stays_up() {
    let (_folder, address) = serve_run();
    let endless = format!("GET / HTTP/1.1\r\nHost: {address}\r\nX: {}\r\n\r\n", "a".repeat(40_000));
    assert_eq!(send(address, &endless).0, 431);
    assert_eq!(send(address, "\u{1}\u{2}\r\n\r\n").0, 400);
    let body = request("POST", "/api/runs/0/stop", address, "Content-Length: 1000000000\r\n");
    assert_eq!(send(address, &body).0, 413);
    drop(TcpStream::connect(address).unwrap()); // says nothing and goes
    assert_eq!(get(address, "/").0, 200);
}

/// The events of a client that watches.
fn watch(address: SocketAddr) -> impl Iterator<Item = String> {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream.write_all(request("GET", "/api/watch", address, "").as_bytes()).unwrap();
    BufReader::new(stream).lines().filter_map(|line| line.unwrap().strip_prefix("data: ").map(str::to_owned))
}

#[test]
fn several_clients_hear_of_every_frame() {
    let (folder, address) = serve_run();
    let mut clients = [watch(address), watch(address)];
    for client in &mut clients {
        assert!(client.next().unwrap().contains("\"whole\":[[0,1]]"));
    }
    for layer in ["particles", "surface"] {
        let layer = folder.path().join("run/view").join(layer);
        std::fs::copy(layer.join("0001.gz"), layer.join("0002.gz")).unwrap();
    }
    for client in &mut clients {
        assert!(client.next().unwrap().contains("\"whole\":[[0,2]]"));
    }
}

#[test]
fn a_client_that_has_left_gives_its_place_to_others() {
    let (_folder, address) = serve_run();
    let most = 64;
    drop((0..most).map(|_| watch(address).next()).collect::<Vec<_>>());
    let start = Instant::now();
    while get(address, "/").0 != 200 {
        assert!(start.elapsed() < Duration::from_secs(20), "the server has no place left");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn clients_that_never_finish_their_request_lock_nobody_out() {
    let (_folder, address) = serve_run();
    let is_over = Arc::new(AtomicBool::new(false));
    for _ in 0..64 {
        let (mut stream, is_over) = (TcpStream::connect(address).unwrap(), is_over.clone());
        std::thread::spawn(move || {
            // A letter now and then, for ever: never silent for long.
            while !is_over.load(Ordering::Relaxed) && stream.write_all(b"G").is_ok() {
                std::thread::sleep(Duration::from_millis(100));
            }
        });
    }
    let start = Instant::now();
    while get(address, "/").0 != 200 {
        assert!(start.elapsed() < Duration::from_secs(60), "the server has no place left");
        std::thread::sleep(Duration::from_millis(100));
    }
    is_over.store(true, Ordering::Relaxed);
}

#[cfg(unix)]
#[test]
fn a_pipe_in_place_of_the_status_holds_nobody_up() {
    let (folder, address) = serve_run();
    let status = folder.path().join("run/status.json");
    std::fs::remove_file(&status).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&status).status().unwrap().success());
    assert_eq!(get(address, "/api/runs").0, 200);
}

#[test]
fn a_run_that_is_going_can_be_asked_to_stop() {
    let (folder, address) = serve_run();
    let stop = Arc::new(AtomicBool::new(false));
    let run = RunFolder::new(folder.path().join("run"));
    let _claim = run.claim().unwrap();
    let status = StatusWriter::begin(&run, 0, 9, stop.clone()).unwrap();
    status.reached(3).unwrap();
    assert!(get(address, "/api/runs").1.contains("\"state\":\"running\""));
    assert_eq!(send(address, &request("POST", "/api/runs/0/stop", address, "")).0, 202);
    while !stop.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(20));
    }
    status.end(RunState::Stopped, 4).unwrap();
    assert!(get(address, "/api/runs").1.contains("\"state\":\"stopped\""));
}

#[test]
fn folders_that_are_not_of_runs_are_refused_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let refusal = |path: &Path| {
        let options = Options { folders: vec![path.to_owned()], port: 0, ..Options::default() };
        Server::bind(&options).unwrap_err().to_string()
    };
    assert!(refusal(&folder.path().join("nowhere")).contains("is no run folder"));
    assert!(refusal(folder.path()).ends_with("it holds no run.json"));
    std::fs::write(folder.path().join("run.json"), "{").unwrap();
    assert!(refusal(folder.path()).contains("run.json: EOF"), "{}", refusal(folder.path()));
}

#[test]
fn a_record_that_breaks_later_is_reported() {
    let (folder, address) = serve_run();
    std::fs::write(folder.path().join("run/run.json"), "nonsense").unwrap();
    let (status, runs) = get(address, "/api/runs");
    assert!(status == 200 && runs.contains("\"problem\":"), "{runs}");
}
