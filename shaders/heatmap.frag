#version 330 core
// A map's cell under the pixel's centre, or with POOLED the largest weight of all cells that the
// pixel covers; then its colour.
//
// The index of the colour must be the processor's to the last one. So the curve is only a guess (this
// machine's logarithm may differ in its last digits), and the exact limit between two colours, which
// the processor worked out, decides.

uniform sampler2DArray u_maps;    // weights; level l holds the largest of 2^l x 2^l cells
uniform sampler2D u_thresholds;   // (index, palette row): the least weight that has this index
uniform sampler2D u_colors;       // (index, palette row); column 256 is for masked cells

flat in vec4 v_mapping;
flat in ivec4 v_bounds;
flat in ivec3 v_slot;
flat in vec4 v_curve;  // weight taken off first, curve's value at `offset`, colours per unit, offset

out vec4 color;

const int kLast = 255;
const int kMaskedColumn = 256;
const int kMostCells = 16;  // along an axis; a pixel that covers more shows the first of them
const float kUnsure = 0.1;  // colours that the guess may be too high by

float Weight(ivec2 cell) {
  ivec2 inside = clamp(cell, v_bounds.xy, v_bounds.zw);
#ifdef POOLED
  return texelFetch(u_maps, ivec3(inside, v_slot.x), v_slot.z).r;
#else
  return texelFetch(u_maps, ivec3(inside, v_slot.x), 0).r;
#endif
}

float Curve(float weight) {
#if CURVE == 1
  return sqrt(max(weight - v_curve.x, 0.0));
#elif CURVE == 2
  return log2(max(weight, 1e-30));
#else
  return weight - v_curve.x;
#endif
}

void main() {
  vec2 center = gl_FragCoord.xy * v_mapping.xy + v_mapping.zw;
#ifdef POOLED
  vec2 half_pixel = 0.5 * v_mapping.xy;
  ivec2 first = ivec2(floor(center - half_pixel + 0.001));
  ivec2 last = ivec2(ceil(center + half_pixel - 0.001)) - 1;
  last = min(last, first + kMostCells - 1);
  float weight = -1.0;
  for (int y = first.y; y <= last.y; ++y) {
    for (int x = first.x; x <= last.x; ++x) {
      weight = max(weight, Weight(ivec2(x, y)));
    }
  }
#else
  float weight = Weight(ivec2(floor(center)));
#endif
  int index = kMaskedColumn;
  if (weight >= 0.0) {
    float guess = (Curve(weight) - v_curve.y) * v_curve.z + v_curve.w;
    index = int(clamp(floor(guess - kUnsure), 0.0, float(kLast)));
    int next = min(index + 1, kLast);
    if (weight >= texelFetch(u_thresholds, ivec2(next, v_slot.y), 0).r) {
      index = next;
    }
  }
  color = texelFetch(u_colors, ivec2(index, v_slot.y), 0);
}
