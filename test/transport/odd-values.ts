/** What may be thrown in JavaScript and breaks `String()`, or reading a field. */
export const ODD_VALUES: readonly { readonly name: string; readonly value: unknown }[] = [
  { name: 'an object without prototype', value: Object.create(null) },
  {
    name: 'an object whose code cannot be read',
    value: {
      get code() {
        throw new Error('no code');
      },
    },
  },
  {
    name: 'an error whose message cannot be read',
    value: Object.defineProperty(new Error(), 'message', {
      get() {
        throw new Error('no message');
      },
    }),
  },
  { name: 'nothing', value: undefined },
  { name: 'a symbol', value: Symbol('odd') },
];
