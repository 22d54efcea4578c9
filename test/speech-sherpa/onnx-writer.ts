/** Writes ONNX files by hand (protobuf; field numbers of onnx.proto). */

export type Part = Uint8Array

const varint = (value: number | bigint): Part => {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, BigInt(value))
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80)
  return Uint8Array.from([...bytes, Number(rest)])
}
const number = (field: number, value: number | bigint): Part => Buffer.concat([varint(field * 8), varint(value)])
const bytes = (field: number, content: Part): Part => Buffer.concat([varint(field * 8 + 2), varint(content.length), content])
const text = (field: number, content: string): Part => bytes(field, Buffer.from(content))
const message = (field: number, parts: readonly Part[]): Part => bytes(field, Buffer.concat(parts))

export const float32 = 1
export const int32 = 6
export const int64 = 7

const tensor = (name: string, dims: readonly number[], values: Float32Array | BigInt64Array): Part =>
  message(5, [
    ...dims.map((dim) => number(1, dim)),
    number(2, values instanceof Float32Array ? float32 : int64),
    text(8, name),
    bytes(9, new Uint8Array(values.buffer, values.byteOffset, values.byteLength)),
  ])
export const floats = (name: string, dims: readonly number[], values: readonly number[]): Part =>
  tensor(name, dims, Float32Array.from(values))
export const integers = (name: string, values: readonly number[]): Part => tensor(name, [values.length], BigInt64Array.from(values, BigInt))

type Attribute = number | readonly number[] | { readonly float: number }
const attribute = (name: string, value: Attribute): Part => {
  if (typeof value === 'number') return message(5, [text(1, name), number(3, value), number(20, 2)])
  if ('float' in value) {
    const content = Buffer.alloc(4)
    content.writeFloatLE(value.float)
    return message(5, [text(1, name), varint(2 * 8 + 5), content, number(20, 1)])
  }
  return message(5, [text(1, name), ...value.map((item) => number(8, item)), number(20, 7)])
}
export const node = (op: string, inputs: readonly string[], outputs: readonly string[], attributes: Record<string, Attribute> = {}): Part =>
  message(1, [
    ...inputs.map((name) => text(1, name)),
    ...outputs.map((name) => text(2, name)),
    text(4, op),
    ...Object.entries(attributes).map(([name, value]) => attribute(name, value)),
  ])

type Shape = readonly (number | string)[]
const port = (field: number, name: string, type: number, shape: Shape): Part =>
  message(field, [
    text(1, name),
    message(2, [
      message(1, [
        number(1, type),
        message(
          2,
          shape.map((dim) => message(1, [typeof dim === 'number' ? number(1, dim) : text(2, dim)])),
        ),
      ]),
    ]),
  ])
export const input = (name: string, type: number, shape: Shape): Part => port(11, name, type, shape)
export const output = (name: string, type: number, shape: Shape): Part => port(12, name, type, shape)

export const model = (parts: readonly Part[], metadata: Record<string, string | number> = {}): Buffer =>
  Buffer.concat([
    number(1, 8),
    message(7, [text(2, 'g'), ...parts]),
    message(8, [text(1, ''), number(2, 13)]),
    ...Object.entries(metadata).map(([key, value]) => message(14, [text(1, key), text(2, String(value))])),
  ])
