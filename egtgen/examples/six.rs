use egtgen::make::*;
use plyfold_core::table::material::*;
fn main() {
    let a: Vec<String> = std::env::args().skip(1).collect();
    let asked: Vec<Material> = a[2..].iter().map(|n| Material::parse(n).unwrap()).collect();
    let request = Request { tables: closure(&asked), folder: a[0].clone().into(), memory: a[1].parse::<u64>().unwrap() << 20, threads: 2 };
    let start = std::time::Instant::now();
    make(&request, &|e| match e { Event::Cell(..) => {}, Event::Cycle(t, c) => println!("{:.1} {t} {} won {} lost {} touched {}/{} traffic {:?}", start.elapsed().as_secs_f64(), c.level, c.won, c.lost, c.touched, c.chunks, c.traffic), e => println!("{e:?}") }, &false.into()).unwrap_or_else(|e| println!("ERROR {e}"));
    let hwm = std::fs::read_to_string("/proc/self/status").unwrap();
    println!("{:.3} s {}", start.elapsed().as_secs_f64(), hwm.lines().find(|l| l.starts_with("VmHWM")).unwrap());
}
