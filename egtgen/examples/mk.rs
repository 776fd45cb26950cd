use egtgen::make::*;
use plyfold_core::table::material::*;
fn main() {
    let a: Vec<String> = std::env::args().skip(1).collect();
    let mut asked = Vec::new();
    for n in &a[2..] { if let Ok(k) = n.parse::<usize>() { for m in 3..=k { for x in Material::all(m) { asked.push(x); asked.push(x.flipped()); } } } else { let m = Material::parse(n).unwrap(); asked.push(m); asked.push(m.flipped()); } }
    let request = Request { tables: closure(&asked), folder: a[0].clone().into(), memory: a[1].parse::<u64>().unwrap() << 20, threads: std::env::var("T").map_or(2, |t| t.parse().unwrap()) };
    let v = std::env::var("V").is_ok();
    let start = std::time::Instant::now();
    make(&request, &|e| match e { Event::Cycle(..) | Event::Cell(..) if !v => {}, e => println!("{e:?}") }, &false.into()).unwrap_or_else(|e| println!("ERROR {e}"));
    let hwm = std::fs::read_to_string("/proc/self/status").unwrap();
    println!("{:.3} s {}", start.elapsed().as_secs_f64(), hwm.lines().find(|l| l.starts_with("VmHWM")).unwrap());
}
