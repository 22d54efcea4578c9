/** Finds the route of a request: a table for fixed paths, a tree of segments for those with parameters. No regular expressions. */
import type { Route } from './route.ts'

export interface Match<E> {
  readonly entry: E
  readonly params: Record<string, string>
}

export type Lookup<E> = Match<E> | { readonly allow: readonly string[] } | undefined

type Methods<E> = Map<string, { entry: E; names: readonly string[] }>

interface Node<E> {
  fixed: Map<string, Node<E>>
  /** Parameters, the longest suffix first: `:id.wav` is tried before `:id`. */
  open: { suffix: string; node: Node<E> }[]
  methods: Methods<E> | undefined
}

const noParams: Record<string, string> = Object.freeze(Object.create(null) as Record<string, string>)

function newNode<E>(): Node<E> {
  return { fixed: new Map(), open: [], methods: undefined }
}

export class Router<E extends { readonly route: Route }> {
  readonly #fixed = new Map<string, Methods<E>>()
  readonly #root: Node<E> = newNode()

  add(entry: E): void {
    const { method, path } = entry.route
    const names: string[] = []
    let node = this.#root
    for (const segment of path.slice(1).split('/')) {
      const parameter = /^:([A-Za-z][A-Za-z0-9]*)(.*)$/.exec(segment)
      if (parameter === null) {
        let next = node.fixed.get(segment)
        if (next === undefined) node.fixed.set(segment, (next = newNode()))
        node = next
        continue
      }
      names.push(parameter[1]!)
      const suffix = parameter[2]!
      let open = node.open.find((one) => one.suffix === suffix)
      if (open === undefined) {
        open = { suffix, node: newNode() }
        node.open.push(open)
        node.open.sort((a, b) => b.suffix.length - a.suffix.length)
      }
      node = open.node
    }
    node.methods ??= new Map()
    if (node.methods.has(method)) throw new Error(`two routes for ${method} ${path}`)
    node.methods.set(method, { entry, names })
    if (names.length === 0) this.#fixed.set(path, node.methods)
  }

  /** Parameters are percent-decoded; throws URIError where that cannot be done. `allow` names the methods of a known path. */
  find(method: string, path: string): Lookup<E> {
    const wanted = method === 'HEAD' ? 'GET' : method
    let values: string[] | undefined
    let methods = this.#fixed.get(path)
    if (methods === undefined) {
      values = []
      methods = walk(this.#root, path, 1, values)
      if (methods === undefined) return undefined
    }
    const found = methods.get(wanted)
    if (found === undefined) return { allow: allowed(methods) }
    if (values === undefined) return { entry: found.entry, params: noParams }
    const params = Object.create(null) as Record<string, string>
    found.names.forEach((name, at) => (params[name] = decodeURIComponent(values[at]!)))
    return { entry: found.entry, params }
  }
}

/** `from` is where the next segment begins; the path's first character is its leading slash. */
function walk<E>(node: Node<E>, path: string, from: number, values: string[]): Methods<E> | undefined {
  if (from > path.length) return node.methods
  let end = path.indexOf('/', from)
  if (end === -1) end = path.length
  const segment = path.slice(from, end)
  const fixed = node.fixed.get(segment)
  if (fixed !== undefined) {
    const found = walk(fixed, path, end + 1, values)
    if (found !== undefined) return found
  }
  for (const { suffix, node: next } of node.open) {
    if (segment.length <= suffix.length || !segment.endsWith(suffix)) continue
    const before = values.length
    values.push(segment.slice(0, segment.length - suffix.length))
    const found = walk(next, path, end + 1, values)
    if (found !== undefined) return found
    values.length = before
  }
  return undefined
}

function allowed<E>(methods: Methods<E>): string[] {
  const names = [...methods.keys()]
  if (names.includes('GET')) names.push('HEAD')
  return names.sort()
}
