//! Groups as bytes.

use plyfold_core::game::{GameId, Ply};
use plyfold_core::pmote::error::PmoteError;
use plyfold_core::pmote::groups::{decode, encode};
use plyfold_core::pmote::header::{CorpusStamp, HeaderBuilder};
use plyfold_core::pmote::kind::PmoteKind;
use plyfold_core::reduce::groups::{Group, GroupTable};
use plyfold_core::reduce::matching_positions::PositionRef;
use plyfold_core::reduce::result_counts::ResultCounts;
use proptest::prelude::*;

use super::damage;

const OF: CorpusStamp = CorpusStamp { corpus: 0x0123_4567_89ab_cdef, games: 70 };

fn group(value: u64, name: &str, positions: u64, results: [u32; 4], (game, ply): (u32, u32)) -> Group {
    let first = PositionRef { game: GameId(game), ply: Ply(ply) };
    Group { value, name: name.into(), positions, results: ResultCounts::from_counts(results), first }
}

fn sample() -> GroupTable {
    let groups = [group(2001, "2001", 7, [0, 2, 1, 0], (5, 9)), group(u64::MAX, "Müller", 3, [1, 0, 0, 4], (0, 1))];
    GroupTable { key: "year".into(), distinct: 9, positions: 300, groups: groups.into() }
}

#[test]
fn its_bytes_are_those_of_the_format() {
    let bytes = encode(&sample(), OF);
    assert_eq!(bytes[..24], *b"PMOTE-GB\x01\0\0\0\x46\0\0\0\xef\xcd\xab\x89\x67\x45\x23\x01");
    assert_eq!(bytes[24..32], 0x789e_a5a3_ba6d_ea9d_u64.to_le_bytes());
    assert_eq!(bytes[32..64], *bytemuck::bytes_of(&[9u64, 300, 2, 4]));
    assert_eq!(bytes[64..80], *bytemuck::bytes_of(&[2001u64, 7]));
    assert_eq!(bytes[80..104], *bytemuck::bytes_of(&[0u32, 2, 1, 0, 5, 9]));
    assert_eq!(bytes[104..112], *bytemuck::bytes_of(&8u64));
    assert_eq!(&bytes[160..], "year2001Müller".as_bytes());
    assert_eq!(decode(&bytes), Ok((OF, sample())));
}

#[test]
fn damage_is_found() {
    damage::is_found(&encode(&sample(), OF), |bytes| decode(bytes).map(drop));
    let none = GroupTable { key: "ply".into(), ..GroupTable::default() };
    damage::is_found(&encode(&none, OF), |bytes| decode(bytes).map(drop));
}

#[test]
fn contradictions_are_found() {
    let sealed = |change: fn(&mut [u8])| {
        let mut bytes = encode(&sample(), OF);
        change(&mut bytes);
        let mut seal = HeaderBuilder::new(PmoteKind::Groups, OF);
        seal.update(&bytes[32..]);
        bytes[..32].copy_from_slice(&seal.finish());
        decode(&bytes).map(drop)
    };
    assert_eq!(sealed(|_| ()), Ok(()));
    for change in [
        |bytes: &mut [u8]| bytes[32] = 1,
        |bytes: &mut [u8]| bytes[56] = 9,
        |bytes: &mut [u8]| bytes[63] = 1,
        |bytes: &mut [u8]| bytes[104] = 3,
        |bytes: &mut [u8]| bytes[104] = 10,
    ] {
        let error = sealed(change).expect_err("a contradiction");
        assert!(matches!(error, PmoteError::Inconsistent { .. }), "{error}");
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read(
        key in ".{0,8}", distinct in 9u64.., positions: u64,
        groups in prop::collection::vec((any::<u64>(), ".{0,8}", any::<u64>(), any::<[u32; 4]>(), any::<(u32, u32)>()), 0..9),
    ) {
        let groups = groups.iter().map(|(value, name, positions, results, first)| {
            group(*value, name, *positions, *results, *first)
        });
        let all = GroupTable { key, distinct, positions, groups: groups.collect() };
        prop_assert_eq!(decode(&encode(&all, OF)), Ok((OF, all)));
    }
}
