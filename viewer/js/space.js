// Draws a frame of a three-dimensional run.
//
// A picture is { cells, mesh, particles, separated, solid }. The unit of length is the longest side of the domain,
// and the centre of the domain is the origin.

import { Buffer, COLOUR_OF_LEVEL, bindPalette, feed, makePalettes, makeProgram } from "./gl.js";
import { coarsen } from "./detail.js";
import { GROUND, SEPARATED } from "./palette.js";
import { upperEnd } from "./pack.js";

const SLICE = `
  uniform vec4 slice; // a plane: nothing beyond it is drawn
  void cut(vec3 place) { if (dot(slice.xyz, place) > slice.w) discard; }`;

const MESH_VERTEX = `
  uniform mat4 matrix;
  uniform vec3 size;
  in vec3 position;
  in vec3 normal;
  in float value;
  out vec3 place, direction;
  out float level;
  void main() {
    place = (position - 0.5) * size;
    direction = normal;
    level = value;
    gl_Position = matrix * vec4(place, 1.0);
  }`;

const LIQUID_FRAGMENT = `${SLICE}${COLOUR_OF_LEVEL}
  uniform vec3 eye;
  uniform float scale;
  in vec3 place, direction;
  in float level;
  out vec4 colour;
  void main() {
    cut(place);
    vec3 view = normalize(eye - place);
    vec3 n = normalize(gl_FrontFacing ? direction : -direction);
    vec3 base = colourOf(level * scale);
    float light = 0.35 + 0.5 * max(dot(n, normalize(vec3(0.4, 0.9, 0.5))), 0.0) + 0.2 * max(dot(n, view), 0.0);
    float shine = pow(max(dot(reflect(-view, n), normalize(vec3(0.4, 0.9, 0.5))), 0.0), 40.0);
    float rim = pow(1.0 - max(dot(n, view), 0.0), 3.0);
    colour = vec4(base * light + 0.35 * shine + 0.15 * rim, 1.0);
    if (!gl_FrontFacing) colour.rgb *= 0.55;
  }`;

const SOLID_FRAGMENT = `${SLICE}
  uniform vec3 eye;
  in vec3 place, direction;
  in float level;
  out vec4 colour;
  void main() {
    cut(place);
    float facing = abs(dot(normalize(direction), normalize(eye - place)));
    colour = vec4(0.72, 0.78, 0.85, 0.07 + 0.33 * pow(1.0 - facing, 2.5));
  }`;

const POINT_VERTEX = `
  uniform mat4 matrix;
  uniform vec3 size, scalePlace, shiftPlace;
  uniform float pointSize, scale;
  in vec3 position;
  in float value;
  out vec3 place;
  out float level;
  void main() {
    place = (position * scalePlace + shiftPlace - 0.5) * size;
    gl_Position = matrix * vec4(place, 1.0);
    gl_PointSize = max(pointSize / gl_Position.w, 1.0);
    level = value * scale;
  }`;

const POINT_FRAGMENT = `${SLICE}${COLOUR_OF_LEVEL}
  uniform vec4 flat_;
  in vec3 place;
  in float level;
  out vec4 colour;
  void main() {
    cut(place);
    if (flat_.a > 0.0) { colour = flat_; return; }
    vec2 from = gl_PointCoord * 2.0 - 1.0;
    float r = dot(from, from);
    if (r > 1.0) discard;
    colour = vec4(colourOf(level) * (1.05 - 0.35 * r), 1.0);
  }`;

const LINE_VERTEX = `
  uniform mat4 matrix;
  uniform vec3 size;
  in vec3 position;
  void main() { gl_Position = matrix * vec4((position - 0.5) * size, 1.0); }`;

const LINE_FRAGMENT = `
  out vec4 colour;
  void main() { colour = vec4(0.5, 0.57, 0.66, 0.7); }`;

const EDGES = new Float32Array([0, 1, 2, 4, 7].flatMap((corner) =>
  [1, 2, 4].filter((bit) => (corner === 7 ? true : !(corner & bit))).flatMap((bit) => {
    const other = corner ^ bit;
    return [corner, other].flatMap((at) => [at & 1, (at >> 1) & 1, (at >> 2) & 1]);
  })));

export class SpaceRenderer {
  constructor(gl) {
    this.gl = gl;
    this.palettes = makePalettes(gl);
    this.liquid = makeProgram(gl, MESH_VERTEX, LIQUID_FRAGMENT);
    this.solids = makeProgram(gl, MESH_VERTEX, SOLID_FRAGMENT);
    this.points = makeProgram(gl, POINT_VERTEX, POINT_FRAGMENT);
    this.lines = makeProgram(gl, LINE_VERTEX, LINE_FRAGMENT);
    const meshBuffers = () => ({ vertex: new Buffer(gl, gl.ARRAY_BUFFER), normal: new Buffer(gl, gl.ARRAY_BUFFER), value: new Buffer(gl, gl.ARRAY_BUFFER), triangle: new Buffer(gl, gl.ELEMENT_ARRAY_BUFFER) });
    this.buffers = { liquid: meshBuffers(), solid: meshBuffers(), position: new Buffer(gl, gl.ARRAY_BUFFER), value: new Buffer(gl, gl.ARRAY_BUFFER), cells: new Buffer(gl, gl.ARRAY_BUFFER), edges: new Buffer(gl, gl.ARRAY_BUFFER) };
  }

  /** Draws with an orbiting camera and options { show, colour, separated, solids, slice, fastest, highest }. */
  draw(picture, camera, options) {
    const { gl } = this;
    const { width, height } = gl.canvas;
    const longest = Math.max(...picture.cells);
    const size = picture.cells.map((count) => count / longest);
    const { matrix, eye, pixelsPerUnit } = camera.perspective(size, width, height);
    const largest = options.colour === "pressure" ? options.highest : options.fastest;
    const scene = { matrix, eye, size, slice: slicePlane(options.slice, size) };
    gl.viewport(0, 0, width, height);
    gl.clearColor(...GROUND, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.disable(gl.BLEND);
    if (picture.mesh && options.show !== "particles") this.drawLiquid(coarsen(picture.mesh, picture.cells, options.block ?? 1), scene, options.colour, largest);
    if (picture.particles && options.show !== "surface") {
      this.drawParticles(picture.particles, scene, options.colour, largest, (0.6 * pixelsPerUnit) / longest);
    }
    if (options.separated && picture.separated?.count) {
      this.drawSeparated(picture, scene, (0.8 * pixelsPerUnit) / longest);
    }
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    gl.depthMask(false);
    this.drawEdges(scene);
    if (options.solids && picture.solid) this.drawSolids(coarsen(picture.solid, picture.cells, options.block ?? 1), scene);
    gl.depthMask(true);
  }

  drawLiquid(mesh, scene, colour, largest) {
    const { gl, liquid } = this;
    this.begin(liquid, scene);
    bindPalette(gl, 0, this.palettes[colour]);
    gl.uniform1i(liquid.uniforms.palette, 0);
    gl.uniform1f(liquid.uniforms.scale, upperEnd(mesh[colour]) / largest);
    this.drawMesh(liquid, this.buffers.liquid, mesh, mesh[colour]);
  }

  drawSolids(mesh, scene) {
    this.begin(this.solids, scene);
    this.drawMesh(this.solids, this.buffers.solid, mesh, null);
  }

  drawMesh({ place }, buffers, { vertex, normal, triangle }, value) {
    const { gl } = this;
    buffers.vertex.fill(vertex.data);
    feed(gl, place("position"), vertex.data, 3);
    buffers.normal.fill(normal.data);
    feed(gl, place("normal"), normal.data, 4, 3);
    if (value) {
      buffers.value.fill(value.data);
      feed(gl, place("value"), value.data, 1);
    } else if (place("value") >= 0) {
      gl.disableVertexAttribArray(place("value"));
    }
    buffers.triangle.fill(triangle.data);
    gl.drawElements(gl.TRIANGLES, triangle.data.length, gl.UNSIGNED_INT, 0);
  }

  drawParticles(particles, scene, colour, largest, pointSize) {
    const { gl, points, buffers } = this;
    const value = particles[colour];
    this.beginPoints(scene, pointSize, [1, 1, 1], [0, 0, 0], [0, 0, 0, 0]);
    bindPalette(gl, 0, this.palettes[colour]);
    gl.uniform1i(points.uniforms.palette, 0);
    gl.uniform1f(points.uniforms.scale, upperEnd(value) / largest);
    buffers.position.fill(particles.position.data);
    feed(gl, points.place("position"), particles.position.data, 3);
    buffers.value.fill(value.data);
    feed(gl, points.place("value"), value.data, 1);
    gl.drawArrays(gl.POINTS, 0, particles.position.count);
  }

  drawSeparated({ cells, separated }, scene, pointSize) {
    const { gl, points, buffers } = this;
    this.beginPoints(scene, pointSize, cells.map((count) => 65535 / count), cells.map((count) => 0.5 / count), [...SEPARATED, 1]);
    buffers.cells.fill(separated.data);
    feed(gl, points.place("position"), separated.data, 3);
    gl.disableVertexAttribArray(points.place("value"));
    gl.drawArrays(gl.POINTS, 0, separated.count);
  }

  drawEdges(scene) {
    const { gl, lines, buffers } = this;
    this.begin(lines, scene);
    buffers.edges.fill(EDGES);
    feed(gl, lines.place("position"), EDGES, 3);
    gl.drawArrays(gl.LINES, 0, EDGES.length / 3);
  }

  begin({ program, uniforms }, { matrix, eye, size, slice }) {
    const { gl } = this;
    gl.useProgram(program);
    gl.uniformMatrix4fv(uniforms.matrix, false, matrix);
    gl.uniform3fv(uniforms.size, size);
    if (uniforms.eye) gl.uniform3fv(uniforms.eye, eye);
    if (uniforms.slice) gl.uniform4fv(uniforms.slice, slice);
  }

  beginPoints(scene, pointSize, scale, shift, flat) {
    const { gl, points } = this;
    this.begin(points, scene);
    gl.uniform1f(points.uniforms.pointSize, pointSize);
    gl.uniform3fv(points.uniforms.scalePlace, scale);
    gl.uniform3fv(points.uniforms.shiftPlace, shift);
    gl.uniform4fv(points.uniforms.flat_, flat);
  }
}

/** The plane across an axis of the domain, at a fraction of its length. */
function slicePlane(slice, size) {
  if (!slice) return [0, 0, 0, 1];
  const plane = [0, 0, 0, (slice.at - 0.5) * size[slice.axis]];
  plane[slice.axis] = 1;
  return plane;
}
