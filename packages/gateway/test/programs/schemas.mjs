// Hand-written schemas for programs that start often. A schema library would double their start time.
import { jsonSchema } from 'toolwire'

/** An object with these members, all of them required. */
export const object = (properties) => jsonSchema({ type: 'object', properties, required: Object.keys(properties) })

export const string = { type: 'string' }
export const number = { type: 'number' }
export const integer = { type: 'integer' }
export const boolean = { type: 'boolean' }
