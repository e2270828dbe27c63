// The parts of WebGL 2 that the page uses.

import { PALETTES, paletteBytes } from "./palette.js";

/** For shaders: the colour of a level from 0 to 1. Entry k of the palette has its centre at (k + ½) / 256. */
export const COLOUR_OF_LEVEL = `
  uniform sampler2D palette;
  vec3 colourOf(float level) { return texture(palette, vec2((min(level, 1.0) * 255.0 + 0.5) / 256.0, 0.5)).rgb; }`;

/** Whether the processor draws. Then edges are not smoothed: that would cost four times the pixels. */
function drawsOnProcessor() {
  const gl = document.createElement("canvas").getContext("webgl2");
  const info = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = info ? gl.getParameter(info.UNMASKED_RENDERER_WEBGL) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}

/** A WebGL context. Throws an Error with a sentence for the user. */
export function openContext(canvas) {
  const gl = canvas.getContext("webgl2", { antialias: !drawsOnProcessor(), alpha: false });
  if (!gl) throw new Error("This browser offers no WebGL 2, which the pictures need.");
  gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
  return gl;
}

/** Compiles a program. Uniforms and attributes are found by name. */
export function makeProgram(gl, vertexSource, fragmentSource) {
  const program = gl.createProgram();
  for (const [kind, source] of [[gl.VERTEX_SHADER, vertexSource], [gl.FRAGMENT_SHADER, fragmentSource]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, `#version 300 es\nprecision highp float;\n${source}`);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS) && !gl.isContextLost()) {
      throw new Error(gl.getShaderInfoLog(shader));
    }
  }
  gl.linkProgram(program);
  const uniforms = {};
  const count = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS) ?? 0;
  for (let index = 0; index < count; index++) {
    const { name } = gl.getActiveUniform(program, index);
    uniforms[name] = gl.getUniformLocation(program, name);
  }
  return { program, uniforms, place: (name) => gl.getAttribLocation(program, name) };
}

/** A buffer on the device that grows as needed and remembers what it holds. */
export class Buffer {
  constructor(gl, target) {
    Object.assign(this, { gl, target, handle: gl.createBuffer(), size: 0, holds: null });
  }

  /** Uploads an array unless the buffer holds it already. */
  fill(data) {
    const { gl, target } = this;
    gl.bindBuffer(target, this.handle);
    if (this.holds === data) return;
    if (data.byteLength > this.size) {
      this.size = Math.ceil(1.3 * data.byteLength);
      gl.bufferData(target, this.size, gl.DYNAMIC_DRAW);
    }
    gl.bufferSubData(target, 0, data);
    this.holds = data;
  }
}

/** Feeds a buffer of numbers to an attribute; integers become fractions of their range. */
export function feed(gl, place, data, width, components = width) {
  if (place < 0) return;
  const types = new Map([[Uint8Array, gl.UNSIGNED_BYTE], [Int8Array, gl.BYTE], [Uint16Array, gl.UNSIGNED_SHORT], [Float32Array, gl.FLOAT]]);
  gl.enableVertexAttribArray(place);
  gl.vertexAttribPointer(place, components, types.get(data.constructor), true, width * data.BYTES_PER_ELEMENT, 0);
}

/** A texture of one byte per value. */
export class FieldTexture {
  constructor(gl) {
    Object.assign(this, { gl, handle: gl.createTexture(), holds: null });
  }

  fill(unit, data, width, height) {
    const { gl } = this;
    gl.activeTexture(gl.TEXTURE0 + unit);
    gl.bindTexture(gl.TEXTURE_2D, this.handle);
    if (this.holds === data) return;
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.R8, width, height, 0, gl.RED, gl.UNSIGNED_BYTE, data);
    smooth(gl);
    this.holds = data;
  }
}

/** The palettes of speed and pressure as textures. */
export function makePalettes(gl) {
  const make = (palette) => {
    const texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 256, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, paletteBytes(palette));
    smooth(gl);
    return texture;
  };
  return { speed: make(PALETTES.speed), pressure: make(PALETTES.pressure) };
}

export function bindPalette(gl, unit, texture) {
  gl.activeTexture(gl.TEXTURE0 + unit);
  gl.bindTexture(gl.TEXTURE_2D, texture);
}

function smooth(gl) {
  for (const [name, value] of [
    [gl.TEXTURE_MIN_FILTER, gl.LINEAR], [gl.TEXTURE_MAG_FILTER, gl.LINEAR],
    [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE], [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE],
  ]) gl.texParameteri(gl.TEXTURE_2D, name, value);
}
