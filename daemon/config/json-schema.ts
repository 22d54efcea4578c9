/** The schema of the file for editors (YAML language servers): keys with a default need not be written. */
import { ConfigSchema } from '../schema/config.ts'

type Json = { [key: string]: unknown }

export function configJsonSchema(): Record<string, unknown> {
  const schema = loosen(JSON.parse(JSON.stringify(ConfigSchema)) as Json)
  return { $schema: 'http://json-schema.org/draft-07/schema#', ...schema }
}

function loosen(schema: Json): Json {
  const properties = schema.properties as Record<string, Json> | undefined
  if (properties !== undefined) {
    for (const inner of Object.values(properties)) loosen(inner)
    const required = (schema.required as string[] | undefined)?.filter((key) => !('default' in (properties[key] ?? {})))
    if (required === undefined || required.length === 0) delete schema.required
    else schema.required = required
  }
  for (const inner of [schema.items, schema.then, ...((schema.allOf as Json[] | undefined) ?? [])]) {
    if (inner !== undefined) loosen(inner as Json)
  }
  return schema
}
