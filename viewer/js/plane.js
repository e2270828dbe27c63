// Draws a frame of a two-dimensional run.
//
// A picture is { cells, fields, particles, separated, solid }: the arrays of the files.
// Positions are fractions of the domain, 0 to 1 along each axis.

import { Buffer, COLOUR_OF_LEVEL, FieldTexture, bindPalette, feed, makePalettes, makeProgram } from "./gl.js";
import { GROUND, SEPARATED, SOLID } from "./palette.js";
import { upperEnd } from "./pack.js";

const REACH = 2; // distances are stored up to this many cells

const DOMAIN_VERTEX = `
  uniform vec4 view; // scale and shift from parts of the domain to the screen
  out vec2 place;
  void main() {
    place = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    gl_Position = vec4(place * view.xy + view.zw, 0.0, 1.0);
  }`;

const LIQUID_FRAGMENT = `${COLOUR_OF_LEVEL}
  uniform sampler2D distance_, value;
  uniform float scale, reach;
  in vec2 place;
  out vec4 colour;
  void main() {
    float d = (texture(distance_, place).r * 2.0 - 1.0) * reach;
    float cover = 1.0 - smoothstep(-0.75, 0.75, d / max(fwidth(d), 1e-4));
    float edge = exp(-d * d * 2.0);
    vec3 inner = colourOf(texture(value, place).r * scale);
    colour = vec4(mix(inner, vec3(0.47, 0.75, 0.94), 0.35 * edge), cover);
  }`;

const SOLID_FRAGMENT = `
  uniform sampler2D distance_;
  uniform vec2 cells;
  uniform vec3 tint;
  uniform float reach, opacity;
  in vec2 place;
  out vec4 colour;
  void main() {
    float d = (texture(distance_, (place * cells + 0.5) / (cells + 1.0)).r * 2.0 - 1.0) * reach;
    float cover = 1.0 - smoothstep(-0.75, 0.75, d / max(fwidth(d), 1e-4));
    colour = vec4(mix(tint, vec3(0.6), 0.5 * exp(-d * d * 6.0)), cover * opacity);
  }`;

const POINT_VERTEX = `
  uniform vec4 view;
  uniform vec2 scalePlace, shiftPlace;
  uniform float size, scale;
  in vec2 position;
  in float value;
  out float level;
  void main() {
    gl_Position = vec4((position * scalePlace + shiftPlace) * view.xy + view.zw, 0.0, 1.0);
    gl_PointSize = size;
    level = value * scale;
  }`;

const POINT_FRAGMENT = `${COLOUR_OF_LEVEL}
  uniform vec4 flat_; // one colour for all points; with opacity 0 the palette is used
  in float level;
  out vec4 colour;
  void main() {
    if (flat_.a > 0.0) { colour = flat_; return; }
    vec2 from = gl_PointCoord * 2.0 - 1.0;
    if (dot(from, from) > 1.0) discard;
    colour = vec4(colourOf(level), 0.95);
  }`;

export class PlaneRenderer {
  constructor(gl) {
    this.gl = gl;
    this.palettes = makePalettes(gl);
    this.liquid = makeProgram(gl, DOMAIN_VERTEX, LIQUID_FRAGMENT);
    this.solids = makeProgram(gl, DOMAIN_VERTEX, SOLID_FRAGMENT);
    this.points = makeProgram(gl, POINT_VERTEX, POINT_FRAGMENT);
    this.textures = { liquid: new FieldTexture(gl), value: new FieldTexture(gl), solid: new FieldTexture(gl) };
    this.buffers = { position: new Buffer(gl, gl.ARRAY_BUFFER), value: new Buffer(gl, gl.ARRAY_BUFFER), cells: new Buffer(gl, gl.ARRAY_BUFFER) };
  }

  /** Draws with a camera { x, y, zoom } and options { show, colour, separated, solids, fastest, highest }. */
  draw(picture, camera, options) {
    const { gl } = this;
    const { width, height } = gl.canvas;
    const view = camera.view(picture.cells, width, height);
    const pixelsPerCell = (0.5 * width * view[0]) / picture.cells[0];
    const largest = options.colour === "pressure" ? options.highest : options.fastest;
    gl.viewport(0, 0, width, height);
    this.clear(view, picture.tint ?? SOLID);
    gl.disable(gl.DEPTH_TEST);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    if (picture.fields && options.show !== "particles") this.drawLiquid(picture, view, options, largest);
    if (picture.particles && options.show !== "surface") {
      this.drawParticles(picture.particles, view, options, largest, Math.max(1.5, 0.55 * pixelsPerCell));
    }
    if (options.separated && picture.separated?.count) this.drawSeparated(picture, view, pixelsPerCell);
    if (options.solids && picture.solid) this.drawSolids(picture, view);
  }

  /** Clears to the ground inside the domain and to the colour of walls around it. */
  clear(view, tint) {
    const { gl } = this;
    const { width, height } = gl.canvas;
    gl.clearColor(...tint.map((value) => 0.5 * value), 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    const [left, bottom] = [(0.5 + 0.5 * view[2]) * width, (0.5 + 0.5 * view[3]) * height];
    gl.enable(gl.SCISSOR_TEST);
    gl.scissor(Math.round(left), Math.round(bottom), Math.round(0.5 * view[0] * width), Math.round(0.5 * view[1] * height));
    gl.clearColor(...GROUND, 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.disable(gl.SCISSOR_TEST);
  }

  drawLiquid({ cells, fields }, view, { colour }, largest) {
    const { gl, liquid, textures } = this;
    const value = fields[colour];
    gl.useProgram(liquid.program);
    textures.liquid.fill(0, fields.liquid.data, ...cells);
    textures.value.fill(1, value.data, ...cells);
    bindPalette(gl, 2, this.palettes[colour]);
    gl.uniform1i(liquid.uniforms.distance_, 0);
    gl.uniform1i(liquid.uniforms.value, 1);
    gl.uniform1i(liquid.uniforms.palette, 2);
    gl.uniform4fv(liquid.uniforms.view, view);
    gl.uniform1f(liquid.uniforms.scale, upperEnd(value) / largest);
    gl.uniform1f(liquid.uniforms.reach, REACH);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
  }

  drawSolids({ cells, solid, tint }, view) {
    const { gl, solids, textures } = this;
    gl.useProgram(solids.program);
    textures.solid.fill(0, solid.data, cells[0] + 1, cells[1] + 1);
    gl.uniform1i(solids.uniforms.distance_, 0);
    gl.uniform2f(solids.uniforms.cells, ...cells);
    gl.uniform3f(solids.uniforms.tint, ...(tint ?? SOLID));
    gl.uniform4fv(solids.uniforms.view, view);
    gl.uniform1f(solids.uniforms.reach, REACH);
    gl.uniform1f(solids.uniforms.opacity, 0.92);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
  }

  drawParticles(particles, view, { colour }, largest, size) {
    const { gl, buffers } = this;
    const value = particles[colour];
    const place = this.beginPoints(view, size, [1, 1], [0, 0], [0, 0, 0, 0]);
    gl.uniform1f(this.points.uniforms.scale, upperEnd(value) / largest);
    bindPalette(gl, 2, this.palettes[colour]);
    gl.uniform1i(this.points.uniforms.palette, 2);
    buffers.position.fill(particles.position.data);
    feed(gl, place("position"), particles.position.data, 2);
    buffers.value.fill(value.data);
    feed(gl, place("value"), value.data, 1);
    gl.drawArrays(gl.POINTS, 0, particles.position.count);
  }

  drawSeparated({ cells, separated }, view, pixelsPerCell) {
    const { gl, buffers } = this;
    const scale = cells.map((count) => 65535 / count);
    const shift = cells.map((count) => 0.5 / count);
    const place = this.beginPoints(view, Math.max(2, pixelsPerCell), scale, shift, [...SEPARATED, 0.85]);
    buffers.cells.fill(separated.data);
    feed(gl, place("position"), separated.data, 2);
    gl.disableVertexAttribArray(place("value"));
    gl.drawArrays(gl.POINTS, 0, separated.count);
  }

  beginPoints(view, size, scale, shift, flat) {
    const { gl, points } = this;
    gl.useProgram(points.program);
    gl.uniform4fv(points.uniforms.view, view);
    gl.uniform1f(points.uniforms.size, size);
    gl.uniform2fv(points.uniforms.scalePlace, scale);
    gl.uniform2fv(points.uniforms.shiftPlace, shift);
    gl.uniform4fv(points.uniforms.flat_, flat);
    return points.place;
  }
}
