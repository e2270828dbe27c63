// Files of a run's view/ folder: named arrays of small numbers (docs/guide-viewer.md).

const MAGIC = "unstick view 1\n\0";
const TYPES = { u8: Uint8Array, i8: Int8Array, u16: Uint16Array, u32: Uint32Array };

/** Reads an unzipped file. Throws an Error with a sentence for the user if the file is damaged. */
export function readPack(buffer) {
  const bytes = new Uint8Array(buffer);
  const magic = String.fromCharCode(...bytes.subarray(0, MAGIC.length));
  if (magic !== MAGIC) throw new Error("it is not a file of the viewer");
  if (bytes.length < 20) throw new Error("it is cut short");
  const headerLength = new DataView(buffer).getUint32(16, true);
  const start = 20 + headerLength;
  if (start > bytes.length) throw new Error("it is cut short");
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(20, start)));
  const pack = { ...header, bytes: bytes.length, arrays: {} };
  for (const { name, type, width, count, offset, lower, step } of header.arrays) {
    const Type = TYPES[type];
    if (!Type || start + offset + width * count * Type.BYTES_PER_ELEMENT > bytes.length) {
      throw new Error(`its array ${name} is cut short`);
    }
    pack.arrays[name] = { data: new Type(buffer, start + offset, width * count), width, count, lower, step };
  }
  return pack;
}

/** The value that byte 255 of an array stands for. */
export function upperEnd(array) {
  return array.lower[0] + 255 * array.step[0];
}
