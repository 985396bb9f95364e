#version 330 core
// One rectangle per instance: a whole map, or what one page of a large map covers of it.

layout(location = 0) in vec4 a_rect;     // left, top, right, bottom; pixels
layout(location = 1) in vec4 a_mapping;  // cell = pixel * xy + zw
layout(location = 2) in vec4 a_bounds;   // first and last cell in the slice, inclusive
layout(location = 3) in vec4 a_slot;     // slice, palette row, level
layout(location = 4) in vec4 a_curve;    // see heatmap.frag

uniform vec2 u_pixels_to_clip;

flat out vec4 v_mapping;
flat out ivec4 v_bounds;
flat out ivec3 v_slot;
flat out vec4 v_curve;

void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  vec2 pixel = mix(a_rect.xy, a_rect.zw, corner);
  // Row 0 of the cached scene is the top of the window, so y is not turned round here.
  gl_Position = vec4(pixel * u_pixels_to_clip - 1.0, 0.0, 1.0);
  v_mapping = a_mapping;
  v_bounds = ivec4(a_bounds);
  v_slot = ivec3(a_slot.xyz);
  v_curve = a_curve;
}
