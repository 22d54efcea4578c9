/** The sentences that a file of the source can say, read from it, with a number in the place of each value. */
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { parse, type Node } from 'acorn'
import { full } from 'acorn-walk'

const value = '12'

export type Part = Node & Record<string, any>

/** Nothing of what is not written there. */
function saidBy(node: Part | undefined, constants: ReadonlyMap<string, Part>): string[] {
  switch (node?.type) {
    case 'Literal':
      return typeof node['value'] === 'string' ? [node['value']] : []
    case 'ConditionalExpression':
      return [...saidBy(node['consequent'], constants), ...saidBy(node['alternate'], constants)]
    case 'Identifier':
      return constants.has(node['name']) ? saidBy(constants.get(node['name']), constants) : []
    case 'TaggedTemplateExpression':
      return saidBy(node['quasi'], constants)
    case 'CallExpression':
      return node['callee'].name === 'ours' ? saidBy(node['arguments'][0], constants) : []
    case 'TemplateLiteral': {
      const [first, ...others] = (node['quasis'] as Part[]).map(({ value }) => value.cooked as string)
      return others.reduce(
        (texts, quasi, at) => {
          const values = saidBy(node['expressions'][at], constants)
          return texts.flatMap((text) => (values.length === 0 ? [value] : values).map((one) => `${text}${one}${quasi}`))
        },
        [first!],
      )
    }
    default:
      return []
  }
}

/** `sentenceOf`: the part of a node that is said to a person. */
export function saidIn(file: string, sentenceOf: (node: Part) => Part | undefined): string[] {
  const ast = parse(stripTypeScriptTypes(readFileSync(file, 'utf8')), { ecmaVersion: 'latest', sourceType: 'module' })
  const constants = new Map<string, Part>()
  const found: string[] = []
  full(ast, (node) => {
    const { type, id, init } = node as Part
    if (type === 'VariableDeclarator' && init != null && id.type === 'Identifier') constants.set(id.name, init)
  })
  full(ast, (node) => void found.push(...saidBy(sentenceOf(node as Part), constants)))
  return found.filter((text) => /[a-z]{2,} [a-z]/.test(text))
}
