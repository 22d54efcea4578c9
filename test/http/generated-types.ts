/** The types of the HTTP interface, as openapi-typescript generates them. */
import { createRequire, registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from '../harness/daemon.ts'

/** The generator prints with the compiler's older interface, which version 7 has no more; the test runner brings one that has it. */
export async function typesOf(description: string): Promise<string> {
  const older = createRequire(join(root, 'node_modules/@tapjs/test/package.json')).resolve('typescript')
  const hooks = registerHooks({
    resolve: (name, context, next) =>
      name === 'typescript' && context.parentURL?.includes('/openapi-typescript/') === true
        ? { url: pathToFileURL(older).href, shortCircuit: true }
        : next(name, context),
  })
  const { default: generate, astToString } = await import('openapi-typescript')
  hooks.deregister()
  return astToString(await generate(description))
}
