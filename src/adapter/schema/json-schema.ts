/** A plain JSON Schema object. Without `$schema` it is read as draft 2020-12. */
export type JsonSchema = { readonly [keyword: string]: unknown };
