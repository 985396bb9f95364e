#version 330 core

// A piece of a line, from one end to the other; each end has a direction across it, so that the
// pieces of a curve meet without a gap and without a seam.
layout(location = 0) in vec4 a_ends;     // x0, y0, x1, y1 in pixels
layout(location = 1) in vec4 a_across;   // at either end
layout(location = 2) in vec4 a_color;
layout(location = 3) in float a_half;    // of its thickness

uniform vec2 u_pixels_to_clip;

out float v_across;
flat out float v_half;
flat out vec4 v_color;

void main() {
  float along = float(gl_VertexID >> 1);
  // Half a pixel more on either side, for the soft edge.
  v_across = (float(gl_VertexID & 1) * 2.0 - 1.0) * (a_half + 0.5);
  v_half = a_half;
  v_color = a_color;
  vec2 at = mix(a_ends.xy, a_ends.zw, along) + v_across * mix(a_across.xy, a_across.zw, along);
  gl_Position = vec4(at.x * u_pixels_to_clip.x - 1.0, at.y * u_pixels_to_clip.y - 1.0, 0.0, 1.0);
}
