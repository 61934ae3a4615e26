//! Small values do not allocate: bit vectors of up to 128 bits, and floats of up to 60
//! significand bits in every rounding mode. Interpreters run millions of these operations.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint::black_box;
use value::{Bits, Float, Format, Rounding};

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator, which counts.
struct Counting;

// SAFETY: forwards to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's contract is that of `System`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's contract is that of `System`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The number of allocations that `work` makes on this thread.
fn allocations(work: impl FnOnce()) -> usize {
    let before = ALLOCATIONS.with(Cell::get);
    work();
    ALLOCATIONS.with(Cell::get) - before
}

#[test]
fn the_count_is_real() {
    assert!(allocations(|| drop(black_box(Bits::ones(129)))) > 0);
}

fn bits_work(x: &Bits, y: &Bits) {
    black_box([x.not(), x.neg(), x.abs(), x.and(y), x.or(y), x.xor(y), x.nand(y), x.xnor(y)]);
    black_box([x.add(y), x.sub(y), x.mul(y), x.udiv(y), x.urem(y)]);
    black_box([x.sdiv(y), x.srem(y), x.smod(y), x.shl(y), x.lshr(y), x.ashr(y)]);
    black_box([x.rotate_left(3), x.rotate_right_by(y), x.extract(x.width() - 1, 0)]);
    black_box([x.ult(y), x.sle(y), x.uaddo(y), x.saddo(y), x.umulo(y), x.smulo(y), x.sdivo(y)]);
    if x.width() <= 64 {
        black_box([x.concat(y), x.repeat(2), x.zero_extend(64), x.sign_extend(64)]);
    }
    black_box((x.clone(), x.to_u64(), x.to_i64(), x.popcount(), x.comp(y)));
}

#[test]
fn small_bit_vectors() {
    for width in [1, 8, 32, 63, 64, 65, 128] {
        let (x, y) = (Bits::from_i64(width, -77), Bits::from_u64(width, 9));
        assert_eq!(allocations(|| bits_work(&x, &y)), 0, "width {width}");
    }
}

fn float_work(x: &Float, y: &Float, z: &Float, rm: Rounding) {
    black_box([x.add(y, rm), x.sub(y, rm), x.mul(y, rm), x.div(y, rm), x.fma(y, z, rm)]);
    black_box([x.sqrt(rm), x.rem(y), x.fmod(y), x.round_to_integral(rm), x.min(y), x.max(y)]);
    black_box([x.neg(), x.abs(), x.next_up(), x.next_down(), x.to_format(Format::F16, rm)]);
    black_box([x.to_ubv(64, rm), x.to_sbv(64, rm)]);
    black_box([x.lt(y), x.leq(y), x.ieee_eq(y), x.same(y), x.is_nan(), x.is_subnormal()]);
    let bits = x.to_bits();
    let format = x.format();
    black_box([Float::from_bits(format, &bits), Float::from_sbv(format, rm, &bits)]);
}

#[test]
fn floats_of_narrow_formats() {
    for format in [Format::F16, Format::BF16, Format::F32, Format::F64] {
        let of = |text| Float::from_decimal(format, Rounding::NearestEven, text).expect("a number");
        for (x, y, z) in [("123.4", "-0.3", "37"), ("1e-4", "7", "0"), ("-6e4", "6e4", "1")] {
            let (x, y, z) = (of(x), of(y), of(z));
            for rm in Rounding::ALL {
                assert_eq!(allocations(|| float_work(&x, &y, &z, rm)), 0, "{rm} {format}");
            }
        }
    }
}
