fn main(){ 
 let device = nonius::Device::open_blocking(nonius::Select::Auto).unwrap();
 println!("{:?} {:?}", device, device.adapter());
 println!("{:#?}", device.arithmetic());
 let t=std::time::Instant::now();
 println!("{:#?}", pollster::block_on(device.measure_arithmetic()).unwrap());
 println!("{:?}", t.elapsed());
}
