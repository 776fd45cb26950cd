//! Counts the connections of each client, so that one client cannot use them all.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, PoisonError};

/// Clients and their connections.
#[derive(Debug)]
pub struct ConnectionCounts {
    /// The most connections of one client.
    max_per_client: usize,
    /// Addresses of proxies, which have no such limit.
    proxies: Vec<IpAddr>,
    connected: Mutex<HashMap<IpAddr, usize>>,
}

/// One of the connections of a client; it stops counting when it is dropped.
#[derive(Debug)]
pub struct ConnectionPermit {
    peers: Arc<ConnectionCounts>,
    client: Option<IpAddr>,
}

/// The client of an address. A client with an IPv6 address can use the whole /64.
fn client_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64)),
        address => address,
    }
}

impl ConnectionCounts {
    pub fn new(max_per_client: usize, proxies: &[IpAddr]) -> ConnectionCounts {
        let proxies = proxies.iter().map(|address| address.to_canonical()).collect();
        ConnectionCounts { max_per_client, proxies, connected: Mutex::default() }
    }

    /// Counts a connection from this address; `None` if its client has reached the limit.
    pub fn try_acquire(self: &Arc<ConnectionCounts>, address: IpAddr) -> Option<ConnectionPermit> {
        if self.proxies.contains(&address.to_canonical()) {
            return Some(ConnectionPermit { peers: Arc::clone(self), client: None });
        }
        let client = client_of(address);
        let mut connected = self.connected.lock().unwrap_or_else(PoisonError::into_inner);
        let number = connected.entry(client).or_insert(0);
        if *number >= self.max_per_client {
            return None;
        }
        *number += 1;
        Some(ConnectionPermit { peers: Arc::clone(self), client: Some(client) })
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        let Some(client) = self.client else { return };
        let mut connected = self.peers.connected.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(number) = connected.get_mut(&client) {
            *number -= 1;
            // Only connected clients are stored.
            if *number == 0 {
                connected.remove(&client);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn a_client_has_so_many_places_and_no_more() {
        let peers = Arc::new(ConnectionCounts::new(2, &[address("192.0.2.9")]));
        let enter = |text: &str| peers.try_acquire(address(text));
        let held = [enter("192.0.2.1"), enter("::ffff:192.0.2.1")];
        assert!(held.iter().all(Option::is_some));
        assert!(enter("192.0.2.1").is_none() && enter("192.0.2.2").is_some());
        let network = [enter("2001:db8::1"), enter("2001:db8::ffff:1:2:3")];
        assert!(network.iter().all(Option::is_some));
        assert!(enter("2001:db8:0:0:9::").is_none() && enter("2001:db8:0:1::1").is_some());
        let proxied: Vec<_> = (0..9).map(|_| enter("192.0.2.9")).collect();
        assert!(proxied.iter().all(Option::is_some));
        drop(held);
        assert!(enter("192.0.2.1").is_some());
        drop((network, proxied));
        assert!(peers.connected.lock().expect("nobody panicked").is_empty());
    }
}
