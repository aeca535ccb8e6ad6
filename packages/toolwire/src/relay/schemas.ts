// `schemas` of toolwire/relay.
export { NotPortable, portableSchema } from '../llm/lower/portable-schema.js'
export { knownKeys } from '../schema/closed-schema.js'
export { trustedLimits } from '../schema/limits.js'
