// Intervals of integers with residue ends (Suzuki and Murao 2010, section 3.2), without branches but those that all
// invocations take alike. M must hold the differences of what is compared.

// [z1, z2] <- [x1, x2] [y1, y2]: smallest and largest of the four products, by 4 signs. The products come in two pairs; the
// smaller of each compete for z1, and the larger for z2.
fn i_mul(
    x1: ptr<function, Residues>,
    x2: ptr<function, Residues>,
    y1: ptr<function, Residues>,
    y2: ptr<function, Residues>,
    z1: ptr<function, Residues>,
    z2: ptr<function, Residues>,
) {
    var p: Residues;
    var q: Residues;
    var swapped: Residues;
    r_mul(x1, y1, z1);
    r_mul(x1, y2, z2);
    swapped = *z1;
    let turned = r_compare(z1, z2) > 0;
    r_take(turned, z2, z1);
    r_take(turned, &swapped, z2);
    r_mul(x2, y1, &p);
    r_mul(x2, y2, &q);
    swapped = p;
    let turned_too = r_compare(&p, &q) > 0;
    r_take(turned_too, &q, &p);
    r_take(turned_too, &swapped, &q);
    let below = r_compare(&p, z1) < 0;
    let above = r_compare(&q, z2) > 0;
    r_take(below, &p, z1);
    r_take(above, &q, z2);
}

// [z1, z2] <- [x1, x2]^exponent. Odd: the ends' powers. Even: x1 <= x2, so the larger power is x2's exactly if
// x1 + x2 >= 0, and the smaller is the other's, or 0 where the interval has 0 within. By 3 signs.
fn i_pow(
    x1: ptr<function, Residues>,
    x2: ptr<function, Residues>,
    exponent: u32,
    z1: ptr<function, Residues>,
    z2: ptr<function, Residues>,
) {
    r_pow(x1, exponent, z1);
    r_pow(x2, exponent, z2);
    if (exponent % 2u == 0u && exponent > 0u) {
        var sum: Residues;
        r_add(x1, x2, &sum);
        let turned = r_sign(&sum) < 0;
        let straddles = r_sign(x1) <= 0 && r_sign(x2) >= 0;
        sum = *z1;
        r_take(turned, z2, z1);
        r_take(turned, &sum, z2);
        r_set_zero(&sum);
        r_take(straddles, &sum, z1);
    }
}
