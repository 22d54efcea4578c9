/**
 * The check of the configuration's schema. Compiling it would cost a start a third of its time. Where the program ships, scripts/bundle.mjs
 * has compiled it and put the code next to the daemon; where the sources run, it is compiled here.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compileFunction } from 'node:vm'
import { gunzipSync } from 'node:zlib'
import { Ajv, type Options, type ValidateFunction } from 'ajv'
import { code as program } from '../../drivers/code.ts'
import { effectMark, secretMark, signingMark } from '../schema/config/forms.ts'
import { ConfigSchema } from '../schema/config.ts'

/** Of the code in CommonJS, in the folder of the compiled daemon. */
export const checkFile = 'config-check.cjs.gz'

/** It is a megabyte of source and more of code, for a start and a `pbx config check`: kept until memory is collected. */
let compiled: WeakRef<ValidateFunction> | undefined

export function checkOfConfig(): ValidateFunction {
  const known = compiled?.deref()
  if (known !== undefined) return known
  const check = compiledAhead() ?? compileCheck().check
  compiled = new WeakRef(check)
  return check
}

export function compileCheck(code: Options['code'] = {}): { readonly ajv: Ajv; readonly check: ValidateFunction } {
  const keywords = [secretMark, signingMark, effectMark]
  const ajv = new Ajv({ allErrors: true, useDefaults: true, verbose: true, allowUnionTypes: true, keywords, code })
  return { ajv, check: ajv.compile(ConfigSchema) }
}

/** Undefined where the sources run. */
function compiledAhead(): ValidateFunction | undefined {
  const file = join(program, 'daemon', checkFile)
  return existsSync(file) ? loadCheck(file) : undefined
}

export function loadCheck(file: string): ValidateFunction {
  const module = { exports: {} }
  compileFunction(gunzipSync(readFileSync(file)).toString(), ['module', 'exports'], { filename: file })(module, module.exports)
  return module.exports as unknown as ValidateFunction
}
