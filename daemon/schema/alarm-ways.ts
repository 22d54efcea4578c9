/** The ways in which alarms notify people: the keys of `alarms[].notify`. */
import { ConfigSchema } from './config.ts'

export const alarmWays: readonly string[] = Object.keys(ConfigSchema.properties.alarms.items.properties.notify.properties)
