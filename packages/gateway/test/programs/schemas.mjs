// Schemas of programs that tests start often: a library that makes them takes as long to load as all else in such a program.
import { jsonSchema } from 'toolwire'

/** An object with these members, all of which it must have. */
export const object = (properties) => jsonSchema({ type: 'object', properties, required: Object.keys(properties) })

export const string = { type: 'string' }
export const number = { type: 'number' }
export const integer = { type: 'integer' }
export const boolean = { type: 'boolean' }
