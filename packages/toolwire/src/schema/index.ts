export { withoutAdditionalProperties } from './closed-schema.js'
export { type Compiled, compile } from './compile-schema.js'
export { SchemaError } from './schema-error.js'
export { jsonSchemaOf, type Validator, validator } from './validator.js'
