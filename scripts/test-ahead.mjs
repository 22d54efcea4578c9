/**
 * Loaded ahead of each file of tests (node --import), whose start is a third of what they cost: the packages that most of them load come from one
 * file each (scripts/test-modules.mjs), for the tests and what they test, while packages load each other as they are; and the sources without
 * their types come from where they are kept (scripts/test-stripped.mjs).
 */
import { registerHooks } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { fileOf, packages } from './test-modules.mjs'
import { stripped } from './test-stripped.mjs'

const urls = new Map(packages.map((name) => [name, pathToFileURL(fileOf(name)).href]))

registerHooks({
  resolve(specifier, context, next) {
    const url = urls.get(specifier)
    if (url === undefined || context.parentURL?.includes('/node_modules/') || !context.conditions.includes('import'))
      return next(specifier, context)
    return { url, format: 'module', shortCircuit: true }
  },
  load(url, context, next) {
    const source = url.startsWith('file:') ? stripped(fileURLToPath(url)) : undefined
    return source === undefined ? next(url, context) : { format: 'module', source, shortCircuit: true }
  },
})
