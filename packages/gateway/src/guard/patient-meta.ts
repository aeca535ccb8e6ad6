/** A key in `_meta` of a call: its client waits until a person has decided. The API and `toolwire call` set it. */
export const patientMeta = 'dev.toolwire/patient'
