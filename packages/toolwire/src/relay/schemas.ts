// `schemas` of toolwire/relay.
export { nearestLine } from '../json/pointer.js'
export { NotPortable, portableSchema } from '../llm/lower/portable-schema.js'
export { knownKeys } from '../schema/closed-schema.js'
export { trustedLimits } from '../schema/limits.js'
export { fromPointer, toPointer } from '../schema/pointer.js'
