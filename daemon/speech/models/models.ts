/**
 * Speech models: the catalogue of those that can be had, what of it is installed, how one is installed, verified and
 * removed, and which of them serves which role. Nothing here loads a model, and nothing is fetched unless it is asked for.
 */
export { catalogue, type ModelEntry, type ModelRole, ModelError, readCatalogue, type Catalogue } from './catalogue.ts'
export { recommended, recommendedView } from './recommend.ts'
export { choose, type RoleChoice, type SpeechChoice, type VoiceChoice } from './choose.ts'
export { importModels, installModel, removeModel, type InstallHooks, type InstallOptions, type Progress } from './install.ts'
export { modelPlaces, readModel, readModels, verifyModel, type InstalledModel, type ModelPlaces } from './installed.ts'
