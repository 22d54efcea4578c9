/** Written by npm run generate: what the files of config/ hold. */
import { houseNumbers as pbxParking } from './config/pbx-parking.ts'

export const houseKinds = { ...pbxParking }
