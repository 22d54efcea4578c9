/** The generated files of the Python package: verbs, events, and the routes of the box with their types. */
import { addressesOf, capital, refName, type Event, type Operation, type Schema, type Sdk, type Verb } from './sdk-shape.ts'

const head = '"""%s Written by `npm run generate` from the schemas of the box."""'
const folder = 'scripts/sdk/python/pbxd'

const text = (value: unknown): string =>
  value === true ? 'True' : value === false ? 'False' : value === null ? 'None' : JSON.stringify(value)
/** `num_digits` of `numDigits`; a word of the language gets an underscore. */
const snake = (name: string): string => {
  const words = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return ['from', 'import', 'class', 'is', 'in', 'or', 'and', 'not', 'pass'].includes(words) ? `${words}_` : words
}
const docstring = (words: string): string => words.replaceAll('\\', '\\\\').replaceAll('"""', "'''").replaceAll('\n', ' ')

/** Types with the objects within them, which have names of their own: a TypedDict cannot be written in a type. */
class Types {
  readonly lines: string[] = []

  /** A type as it is written in a string. `name` is for an object without one. */
  of(schema: Schema, name: string): string {
    if (schema.$ref !== undefined) return refName(schema.$ref)
    if (schema.const !== undefined) return schema.const === null ? 'None' : `Literal[${text(schema.const)}]`
    if (schema.enum !== undefined) return `Literal[${schema.enum.map(text).join(', ')}]`
    if (schema.anyOf !== undefined) return this.#union(schema.anyOf.map((one, at) => this.of(one, at === 0 ? name : `${name}${at + 1}`)))
    if (Array.isArray(schema.type)) return this.#union(schema.type.map((type: string) => this.of({ ...schema, type }, name)))
    switch (schema.type) {
      case 'string':
        return 'str'
      case 'integer':
        return 'int'
      case 'number':
        return 'float'
      case 'boolean':
        return 'bool'
      case 'null':
        return 'None'
      case 'array':
        return `list[${this.of(schema.items ?? {}, `${name}Item`)}]`
      case 'object':
        return this.#object(schema, name)
      default:
        return 'Any'
    }
  }

  declare(name: string, schema: Schema): void {
    if (schema.description !== undefined) this.lines.push(`# ${schema.description.replaceAll('\n', ' ')}`)
    if (schema.type === 'object' && schema.properties !== undefined) this.#dictionary(schema, name)
    else this.lines.push(`${name} = ${this.#quotedNames(this.#alias(schema, name))}`)
  }

  /** Its members have numbers: the name itself is the alias's. */
  #alias(schema: Schema, name: string): string {
    return schema.anyOf === undefined ? this.of(schema, name) : this.#union(schema.anyOf.map((one, at) => this.of(one, `${name}${at + 1}`)))
  }

  #union(types: readonly string[]): string {
    const all = [...new Set(types)]
    return all.includes('Any') ? 'Any' : all.length === 1 ? all[0]! : `Union[${all.join(', ')}]`
  }

  #object(schema: Schema, name: string): string {
    if (schema.properties === undefined) {
      const [values] = Object.values(schema.patternProperties ?? {})
      return `dict[str, ${values === undefined ? 'Any' : this.of(values, `${name}Value`)}]`
    }
    this.#dictionary(schema, name)
    return name
  }

  #dictionary({ properties = {}, required = [] }: Schema, name: string): void {
    const members = Object.entries(properties).map(([key, member]) => {
      const type = this.of(member, `${name}${capital(key.replaceAll(/\W/g, ''))}`)
      return `${text(key)}: ${JSON.stringify(required.includes(key) ? type : `NotRequired[${type}]`).replaceAll('\\"', "'")}`
    })
    this.lines.push(`${name} = TypedDict("${name}", {${members.join(', ')}})`)
  }

  /** Names of an alias are looked up when it is made: those that come later are quoted. */
  #quotedNames(type: string): string {
    return type.replaceAll(/"[^"]*"|\b[A-Z]\w+\b/g, (word) => (/^"|^(Literal|Union|None|Any)$/.test(word) ? word : `"${word}"`))
  }
}

const imports = 'from typing import Any, Literal, NotRequired, TypedDict, Union'

function schemas({ schemas: all }: Sdk): string {
  const types = new Types()
  for (const [name, schema] of all) types.declare(name, schema)
  const verb = ['ControlDocument'].filter((name) => new RegExp(`\\b${name}\\b`).test(types.lines.join('\n')))
  return [
    head.replace('%s', 'Bodies of requests, answers and events.'),
    imports,
    ...verb.map((name) => `from .verbs import ${name}`),
    '',
    ...types.lines,
    '',
  ].join('\n')
}

function verbFunction({ name, about, options, first }: Verb, types: Types): string[] {
  const { properties = {}, required = [] } = options
  const kinds = Object.fromEntries(
    Object.entries(properties).map(([key, shape]) => [key, types.of(shape, `${capital(name)}${capital(key)}`)]),
  )
  const others = Object.keys(properties).filter((key) => key !== first)
  const keywords = others.map((key) => `${snake(key)}: ${required.includes(key) ? kinds[key] : `${kinds[key]} | None = None`}`)
  const parameters = [
    ...(first === undefined ? [] : [`${snake(first)}: ${kinds[first]}`]),
    ...(others.length === 0 ? [] : ['*', ...keywords]),
  ]
  return [
    '',
    '',
    `def ${name}(${parameters.join(', ')}) -> ${capital(name)}Verb:`,
    `    """${docstring(about)}`,
    '',
    ...Object.entries(properties).map(([key, { description = '' }]) => `    ${snake(key)}: ${docstring(description)}`),
    '    """',
    `    options = {${Object.keys(properties)
      .map((key) => `"${key}": ${snake(key)}`)
      .join(', ')}}`,
    `    return cast(${capital(name)}Verb, {"${name}": {key: value for key, value in options.items() if value is not None}})`,
  ]
}

function verbs({ verbs: all }: Sdk): string {
  const types = new Types()
  for (const { name, options } of all) {
    types.declare(`${capital(name)}Options`, { ...options, type: 'object', properties: options.properties ?? {} })
    types.lines.push(`${capital(name)}Verb = TypedDict("${capital(name)}Verb", {"${name}": ${capital(name)}Options})`)
  }
  const functions = all.flatMap((verb) => verbFunction(verb, new Types()))
  return [
    head.replace('%s', 'The verbs of a control document.'),
    `${imports}, cast`,
    '',
    ...types.lines,
    `Verb = Union[${all.map(({ name }) => `${capital(name)}Verb`).join(', ')}]`,
    'ControlDocument = list[Verb]',
    '',
    '# Parameters that are addresses, and the scheme of a relative one.',
    'ADDRESSES: dict[str, dict[str, str]] = {',
    ...all.flatMap((verb) => {
      const found = addressesOf(verb)
      return found.length === 0 ? [] : [`    "${verb.name}": {${found.map(([name, scheme]) => `"${name}": "${scheme}"`).join(', ')}},`]
    }),
    '}',
    ...functions,
    '',
  ].join('\n')
}

function overload({ name, schema, answered }: Event): string[] {
  return [
    '    @overload',
    `    def on(self, event: Literal["${name}"], page: str = ...) -> Callable[[Callable[[${schema}], ${answered ? 'A' : 'N'}]], Callable[[${schema}], ${answered ? 'A' : 'N'}]]: ...`,
    '',
  ]
}

function events({ events: all }: Sdk): string {
  const names = [...new Set(all.map(({ schema }) => schema))].toSorted()
  const union = (answered: boolean): string =>
    [...new Set(all.filter((event) => event.answered === answered).map(({ schema }) => schema))].join(', ')
  return [
    head.replace('%s', 'The events of the box, and the decorator that registers a function for one.'),
    'from __future__ import annotations',
    '',
    'from collections.abc import Awaitable, Callable, Sequence',
    'from typing import Any, Literal, TypeVar, Union, overload',
    '',
    `from .schemas import ${names.join(', ')}`,
    'from .verbs import Verb',
    '',
    `Question = Union[${union(true)}]`,
    `Notice = Union[${union(false)}]`,
    `QUESTIONS = frozenset({${all.flatMap(({ name, answered }) => (answered ? [text(name)] : [])).join(', ')}})`,
    `NOTICES = frozenset({${all.flatMap(({ name, answered }) => (answered ? [] : [text(name)])).join(', ')}})`,
    '# What a function answers to a question: verbs, one verb, or either of them later.',
    'Answer = Union[Verb, Sequence[Verb]]',
    'A = TypeVar("A", bound=Union[Answer, Awaitable[Answer]])',
    'N = TypeVar("N", bound=Union[None, Awaitable[None]])',
    '',
    '',
    'class Pages:',
    '    """Functions by page and event."""',
    '',
    '    def __init__(self) -> None:',
    '        self.pages: dict[str, dict[str, Callable[[Any], Any]]] = {}',
    '',
    ...all.flatMap(overload),
    '    def on(self, event: str, page: str = "/voice") -> Any:',
    '        """Registers the function below for an event that the box sends to a page."""',
    '        if event not in QUESTIONS and event not in NOTICES:',
    '            raise ValueError(f"there is no event {event}")',
    '        if not page.startswith("/"):',
    '            raise ValueError(f"a page begins with a slash: /{page}")',
    '',
    '        def register(function: Any) -> Any:',
    '            self.pages.setdefault(page, {})[event] = function',
    '            return function',
    '',
    '        return register',
    '',
  ].join('\n')
}

function method({ name, about, method: verb, path, pathNames, query, body, reading, answers }: Operation, types: Types): string[] {
  const named = capital(name)
  const asked = query.map(
    ({ name: key, required, schema }) => `${snake(key)}: ${types.of(schema, `${named}${capital(key)}`)}${required ? '' : ' | None = None'}`,
  )
  const keywords = [
    ...asked,
    ...(verb === 'POST' ? ['idempotency_key: str | None = None'] : []),
    ...(body?.raw === true ? ['content_type: str | None = None'] : []),
  ]
  const parameters = [
    'self',
    ...pathNames.map((one) => `${snake(one)}: str | int`),
    ...(body === undefined
      ? []
      : [`body: ${body.raw ? 'dict[str, Any] | bytes' : types.of(body.schema, `${named}Body`)}${body.required ? '' : ' | None = None'}`]),
    ...(keywords.length === 0 ? [] : ['*', ...keywords]),
  ]
  const answer =
    answers.length === 0
      ? 'Any'
      : [...new Set(answers.map((one, at) => types.of(one, `${named}Answer${at === 0 ? '' : at + 1}`)))].join(' | ')
  const results: Readonly<Record<Operation['reading'], string>> = {
    json: answer,
    bytes: 'bytes',
    text: 'str',
    lines: `Iterator[${answer}]`,
    events: 'Iterator[ServerSent]',
    none: 'None',
  }
  const filled =
    pathNames.length === 0 ? `"${path}"` : `self.path("${path.replaceAll(/\{(\w+)\}/g, '{}')}", ${pathNames.map(snake).join(', ')})`
  return [
    '',
    `    def ${snake(name)}(${parameters.join(', ')}) -> ${results[reading]}:`,
    `        """${docstring(about)}."""`,
    `        answer: ${results[reading]} = self.request("${verb}", ${filled}, reading="${reading}"` +
      `${body === undefined ? '' : ', body=body'}` +
      `${body?.raw === true ? ', content_type=content_type' : ''}` +
      `${query.length === 0 ? '' : `, query={${query.map(({ name: key }) => `"${key}": ${snake(key)}`).join(', ')}}`}` +
      `${verb === 'POST' ? ', idempotency_key=idempotency_key' : ''})`,
    '        return answer',
  ]
}

function operations({ operations: all, schemas: known }: Sdk): string {
  const types = new Types()
  const methods = all.flatMap((one) => method(one, types)).join('\n')
  const names = [...known.keys()].filter((name) => new RegExp(`\\b${name}\\b`).test(`${types.lines.join('\n')}${methods}`))
  return [
    head.replace('%s', 'The routes of the box that an access token opens.'),
    'from __future__ import annotations',
    '',
    'from collections.abc import Iterator',
    imports,
    '',
    `from .schemas import ${names.join(', ')}`,
    '',
    'ServerSent = TypedDict("ServerSent", {"id": str, "event": str, "data": Any})',
    ...types.lines,
    '',
    '',
    'class Operations:',
    '    """A method for each route."""',
    '',
    '    def request(self, method: str, path: str, *, reading: str = "json", body: Any = None, query: dict[str, Any] | None = None,',
    '                idempotency_key: str | None = None, content_type: str | None = None) -> Any:',
    '        raise NotImplementedError',
    '',
    '    def path(self, form: str, *parts: str | int) -> str:',
    '        raise NotImplementedError',
    methods,
    '',
  ].join('\n')
}

/** Text by file, from the root. */
export const pythonFiles = (all: Sdk): readonly (readonly [file: string, text: string])[] => [
  [`${folder}/verbs.py`, verbs(all)],
  [`${folder}/schemas.py`, schemas(all)],
  [`${folder}/events.py`, events(all)],
  [`${folder}/operations.py`, operations(all)],
]
