/** Any value JSON can write. */
export type Json = null | boolean | number | string | Json[] | JsonObject
/** An object, whose undefined members are left out when written. */
export type JsonObject = { [key: string]: Json | undefined }
