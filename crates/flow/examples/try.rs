use unstick_flow::*;
use std::time::Instant;
fn cavity(n: usize, re: f64) {
    let ax = || Axis::uniform(0.0, 1.0, n).unwrap();
    let mut s = FlowSetup::new(TensorGrid::new([ax(), ax()]), 1.0 / re);
    s.sides[1][1] = Boundary::NoSlip { velocity: [1.0, 0.0] };
    let mut f = Flow::new(s).unwrap();
    let t0 = Instant::now();
    let mut steps=0;
    loop {
        let dt = 0.5 / n as f64;
        f.advance(dt, &mut []).unwrap();
        steps+=1;
        let st = f.state();
        let ch = st.velocity[0].values().iter().zip(st.previous[0].values()).map(|(a,b)|(a-b).abs()).fold(0.0,f64::max)/dt;
        if ch < 1e-6 || steps>20000 { break; }
    }
    let st = f.state();
    let (mut m, mut y) = (0.0, 0.0);
    for j in 0..n { let u = if n%2==0 { st.velocity[0].at([n/2, j]) } else {0.0}; if u < m { m = u; y = (j as f64+0.5)/n as f64; } }
    println!("cavity {n} re {re}: umin {m:.5} at {y:.4}, t={:.1}, {steps} steps {:.2}s", st.time, t0.elapsed().as_secs_f64());
}
fn tg(n: usize) {
    let ax = || Axis::uniform(0.0, 1.0, n).unwrap();
    let mut s = FlowSetup::new(TensorGrid::new([ax(), ax()]), 0.01);
    for a in 0..2 { s.sides[a] = [Boundary::Periodic, Boundary::Periodic]; }
    let mut f = Flow::new(s).unwrap();
    let k = std::f64::consts::TAU;
    f.start_from(|c,[x,y]| if c==0 {(k*x).sin()*(k*y).cos()} else {-(k*x).cos()*(k*y).sin()});
    let steps = n; let dt = 0.4/steps as f64;
    for _ in 0..steps { f.advance(dt,&mut []).unwrap(); }
    let decay = (-0.01*2.0*k*k*f.state().time).exp();
    let mut e: f64=0.0;
    for i in 0..n { for j in 0..n { let p=f.setup().grid.face_centre(0,[i,j]); e=e.max((f.state().velocity[0].at([i,j])-decay*(k*p[0]).sin()*(k*p[1]).cos()).abs()); } }
    println!("tg {n}: {e:.3e}");
}
fn dfg(cpd: f64, growth: f64, cfl: f64, tend: f64) {
    let h = 0.1/cpd;
    let x = Axis::clustered([0.0,2.2],[0.14,0.27],h,growth,0.03).unwrap();
    let y = Axis::clustered([0.0,0.41],[0.14,0.26],h,growth,0.03).unwrap();
    println!("cells {} x {}", x.cells(), y.cells());
    let mut s = FlowSetup::new(TensorGrid::new([x,y]), 1e-3);
    s.sides[0] = [Boundary::Inflow(Inflow{speed:0.3, profile: Profile::Parabolic, course: Course::Ramp{duration:0.5}}), Boundary::Outflow];
    let mut f = Flow::new(s).unwrap();
    let mut bodies=[Immersed::ball([0.2,0.2],0.05)];
    let t0=Instant::now();
    let mut n=0;
    while f.state().time < tend {
        let dt = f.longest_step(cfl).unwrap_or(1e-3).min(cfl*h/0.4);
        let r=f.advance(dt,&mut bodies).unwrap();
        n+=1;
        if n%200==0 {
            let q=2.0/(0.04*0.1);
            let sf=stress_force(&f.setup().grid,&f.state().velocity,&f.state().pressure,1e-3,&bodies[0]);
            let g=&f.setup().grid; let p=|x:f64| { let (i,j)=(g.axis(0).cell_at(x), g.axis(1).cell_at(0.2)); f.state().pressure.at([i,j])};
            println!("t {:.3} it {} {} div {:.1e} cd {:.5} cl {:.6} | stress {:.4} {:.5} | dp {:.5}  {:.1}s", f.state().time, r.viscous_iterations,r.pressure_iterations,r.divergence,q*r.forces[0].force[0],q*r.forces[0].force[1],q*sf.force[0],q*sf.force[1], p(0.15-0.5*h)-p(0.25+0.5*h), t0.elapsed().as_secs_f64());
        }
    }
}
fn main(){
    let a: Vec<String>=std::env::args().collect();
    match a[1].as_str() {
        "cavity" => cavity(a[2].parse().unwrap(), a[3].parse().unwrap()),
        "tg" => for n in [16,32,64,128] { tg(n) },
        "dfg" => dfg(a[2].parse().unwrap(),1.05,a[3].parse().unwrap(),a[4].parse().unwrap()),
        _=>{}
    }
}
