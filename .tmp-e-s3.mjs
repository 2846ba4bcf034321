import * as s from './packages/stores/src/s3/index.ts'; console.log(Object.keys(s).join());
