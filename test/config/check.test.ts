/** The check of the configuration that ships, compiled ahead, finds what the schema itself says. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ErrorObject } from 'ajv'
import fc from 'fast-check'
import t from 'tap'
import { parse } from 'yaml'
import { checkFile, compileCheck, loadCheck } from '../../daemon/config/validate.ts'
import { root } from '../harness/daemon.ts'

const shipped = loadCheck(join(root, '.cache/program/daemon', checkFile))
const { check } = compileCheck()
const examples = ['clinic', 'text-trunks'].map((name) => parse(readFileSync(join(root, 'docs/examples', `${name}.yaml`), 'utf8')) as object)

type Found = Pick<ErrorObject, 'instancePath' | 'keyword' | 'params' | 'schemaPath'> & { readonly told: unknown }

/** What is used of each fault, and the data with its defaults. */
function found(judge: typeof check, data: unknown): { readonly faults: readonly Found[]; readonly data: unknown } {
  judge(data)
  const faults = (judge.errors ?? []).map(({ instancePath, keyword, params, schemaPath, parentSchema }) => {
    const { description, properties = {} } = (parentSchema ?? {}) as { description?: string; properties?: object }
    return { instancePath, keyword, params, schemaPath, told: [description, Object.keys(properties)] }
  })
  return { faults, data }
}

/** Every value within, by the way to it. */
function placesIn(value: unknown, way: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (value === null || typeof value !== 'object') return [way]
  const inner = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  return [...(way.length === 0 ? [] : [way]), ...inner.flatMap(([key, member]) => placesIn(member, [...way, key]))]
}

function changed(data: object, way: readonly (string | number)[], value: unknown, key: string | null): object {
  const copy = structuredClone(data)
  const last = way.at(-1)!
  const parent = way.slice(0, -1).reduce((place, part) => (place as Record<string | number, unknown>)[part], copy as unknown)
  const holder = parent as Record<string | number, unknown>
  if (key === null) holder[last] = value
  else holder[key] = value
  return copy
}

t.test('whole examples fit both, and get the same defaults', async (t) => {
  for (const example of [{}, ...examples]) {
    const ours = found(shipped, structuredClone(example))
    t.same(ours.faults, [])
    t.same(ours.data, found(check, structuredClone(example)).data)
  }
})

t.test('of a file with a fault anywhere both find the same', async (t) => {
  let refused = 0
  const values = fc.oneof(
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.double({ noNaN: true }),
    fc.string(),
    fc.constant([]),
    fc.constant({}),
  )
  const places = fc.constantFrom(...examples.flatMap((example) => placesIn(example).map((way) => [example, way] as const)))
  // An array would become as long as the value says.
  const keys = fc.stringMatching(/^[a-z]{3,8}$/).filter((key) => key !== 'length')
  fc.assert(
    fc.property(places, values, fc.option(keys, { nil: null }), ([example, way], value, key) => {
      const data = changed(example, way, value, key)
      const ours = found(shipped, structuredClone(data))
      if (ours.faults.length > 0) refused++
      if (JSON.stringify(ours) !== JSON.stringify(found(check, structuredClone(data)))) throw new Error(JSON.stringify(data))
    }),
    { numRuns: 1000 },
  )
  t.ok(refused > 300, `${refused} of 1000 are refused`)
})
