//! The part of the WebSocket protocol (RFC 6455) that a server with nothing but news needs.

use std::io::{self, Read, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Appended to the key of every client, section 1.3.
const GUID: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/// Clients have nothing to send. A client that sends more than this at once is disconnected.
const LONGEST_FRAME: u64 = 4096;

/// The close code for messages that are too long, section 7.4.1.
const TOO_LONG: u16 = 1009;

/// What a frame holds, section 5.2.
#[derive(Clone, Copy)]
#[repr(u8)]
enum Opcode {
    Text = 1,
    Close = 8,
    Ping = 9,
    Pong = 10,
}

/// The answer to the key of a client, which proves that the server speaks the protocol.
pub fn accept_key(key: &str) -> String {
    STANDARD.encode(sha1(format!("{key}{GUID}").as_bytes()))
}

/// The server's end of an open connection.
pub struct WebSocket<S> {
    stream: S,
    /// What has arrived of the next frame.
    arrived: Vec<u8>,
}

impl<S: Read + Write> WebSocket<S> {
    /// After the handshake. The read timeout of the stream limits how long [`receive`](Self::receive) waits.
    pub fn new(stream: S) -> Self {
        Self { stream, arrived: Vec::new() }
    }

    /// Sends a text.
    pub fn send(&mut self, text: &str) -> io::Result<()> {
        self.write(Opcode::Text, text.as_bytes())
    }

    /// Asks whether the client is still there. A client that is gone makes this or a later call fail.
    pub fn ping(&mut self) -> io::Result<()> {
        self.write(Opcode::Ping, &[])
    }

    /// Reads what the client has sent, answers its pings, and ignores the rest. Returns whether the connection is
    /// still open.
    pub fn receive(&mut self) -> io::Result<bool> {
        let mut buffer = [0; 1024];
        match self.stream.read(&mut buffer) {
            Ok(0) => return Ok(false),
            Ok(count) => self.arrived.extend_from_slice(&buffer[..count]),
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {}
            Err(error) => return Err(error),
        }
        loop {
            match Frame::parse(&self.arrived) {
                Parsed::Incomplete => return Ok(true),
                Parsed::Refused => {
                    self.write(Opcode::Close, &TOO_LONG.to_be_bytes())?;
                    return Ok(false);
                }
                Parsed::Whole(frame, length) => {
                    self.arrived.drain(..length);
                    if frame.opcode == Opcode::Close as u8 {
                        self.write(Opcode::Close, &frame.content)?;
                        return Ok(false);
                    }
                    if frame.opcode == Opcode::Ping as u8 {
                        self.write(Opcode::Pong, &frame.content)?;
                    }
                }
            }
        }
    }

    /// Sends a whole message as one frame. Frames of servers are not masked.
    fn write(&mut self, opcode: Opcode, content: &[u8]) -> io::Result<()> {
        const FINAL: u8 = 0x80;
        let mut frame = vec![FINAL | opcode as u8];
        match content.len() {
            length @ 0..=125 => frame.push(length as u8),
            length @ 126..=0xffff => {
                frame.push(126);
                frame.extend_from_slice(&(length as u16).to_be_bytes());
            }
            length => {
                frame.push(127);
                frame.extend_from_slice(&(length as u64).to_be_bytes());
            }
        }
        frame.extend_from_slice(content);
        self.stream.write_all(&frame)
    }
}

/// A frame of a client.
#[derive(Debug, PartialEq)]
struct Frame {
    opcode: u8,
    content: Vec<u8>,
}

/// What bytes begin with.
#[derive(Debug, PartialEq)]
enum Parsed {
    /// A frame, and its length in bytes.
    Whole(Frame, usize),
    /// A part of one.
    Incomplete,
    /// A frame that is too long or not masked.
    Refused,
}

impl Frame {
    fn parse(bytes: &[u8]) -> Parsed {
        let &[first, second, ref rest @ ..] = bytes else { return Parsed::Incomplete };
        let extended = match second & 0x7f {
            126 => 2,
            127 => 8,
            _ => 0,
        };
        let Some((size, rest)) = rest.split_at_checked(extended) else { return Parsed::Incomplete };
        let length = match extended {
            0 => u64::from(second & 0x7f),
            _ => size.iter().fold(0, |length, &byte| length << 8 | u64::from(byte)),
        };
        let is_masked = second & 0x80 != 0;
        if !is_masked || length > LONGEST_FRAME {
            return Parsed::Refused;
        }
        let length = length as usize;
        let Some((mask, rest)) = rest.split_at_checked(4) else { return Parsed::Incomplete };
        let Some(masked) = rest.get(..length) else { return Parsed::Incomplete };
        let content = masked.iter().zip(mask.iter().cycle()).map(|(byte, mask)| byte ^ mask).collect();
        Parsed::Whole(Self { opcode: first & 0x0f, content }, 2 + extended + 4 + length)
    }
}

/// The hash that the handshake asks for (FIPS 180-4). Nothing secret depends on it.
fn sha1(message: &[u8]) -> [u8; 20] {
    let mut padded = message.to_vec();
    padded.push(0x80);
    padded.resize((padded.len() + 8).next_multiple_of(64) - 8, 0);
    padded.extend_from_slice(&(8 * message.len() as u64).to_be_bytes());
    let mut hash: [u32; 5] = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];
    for block in padded.chunks_exact(64) {
        let mut words = [0u32; 80];
        for (word, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
            *word = bytes.iter().fold(0, |word, &byte| word << 8 | u32::from(byte));
        }
        for t in 16..80 {
            words[t] = (words[t - 3] ^ words[t - 8] ^ words[t - 14] ^ words[t - 16]).rotate_left(1);
        }
        let [mut a, mut b, mut c, mut d, mut e] = hash;
        for (t, &word) in words.iter().enumerate() {
            let (f, k) = match t / 20 {
                0 => (b & c | !b & d, 0x5a827999),
                1 => (b ^ c ^ d, 0x6ed9eba1),
                2 => (b & c | b & d | c & d, 0x8f1bbcdc),
                _ => (b ^ c ^ d, 0xca62c1d6),
            };
            let next = a.rotate_left(5).wrapping_add(f).wrapping_add(e).wrapping_add(k).wrapping_add(word);
            (a, b, c, d, e) = (next, a, b.rotate_left(30), c, d);
        }
        for (value, added) in hash.iter_mut().zip([a, b, c, d, e]) {
            *value = value.wrapping_add(added);
        }
    }
    let mut bytes = [0; 20];
    for (target, word) in bytes.chunks_exact_mut(4).zip(hash) {
        target.copy_from_slice(&word.to_be_bytes());
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_the_standard() {
        let hex = |message: &[u8]| sha1(message).map(|byte| format!("{byte:02x}")).concat();
        assert_eq!(hex(b"abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
        assert_eq!(hex(b""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
        // 56 letters: the length no longer fits into the first block.
        let long = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
        assert_eq!(hex(long), "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
    }

    /// The masked “Hello” of RFC 6455, section 5.7.
    #[test]
    fn a_masked_frame_is_read_once_it_is_complete() {
        let bytes = [0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58];
        let frame = Frame { opcode: 1, content: b"Hello".to_vec() };
        assert_eq!(Frame::parse(&bytes), Parsed::Whole(frame, bytes.len()));
        for length in 0..bytes.len() {
            assert_eq!(Frame::parse(&bytes[..length]), Parsed::Incomplete, "{length} bytes");
        }
    }

    #[test]
    fn frames_without_mask_and_long_frames_are_refused() {
        assert_eq!(Frame::parse(&[0x81, 0x05, b'H', b'e', b'l', b'l', b'o']), Parsed::Refused);
        assert_eq!(Frame::parse(&[0x81, 0xfe, 0x10, 0x01]), Parsed::Refused);
        assert_eq!(Frame::parse(&[0x81, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0]), Parsed::Refused);
        assert_eq!(Frame::parse(&[0x81, 0xfe, 0x10, 0x00]), Parsed::Incomplete);
    }
}
