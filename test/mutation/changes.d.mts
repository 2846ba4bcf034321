import type { Change } from './index.mjs';

export type { Change };

export function replace(pattern: string, code: string): Change;
export function remove(pattern: string): Change;
export function removeProperty(name: string): Change;
export function setProperty(name: string, code: string): Change;
export function renameProperty(name: string, newName: string): Change;
export function setCase(test: string, code: string): Change;
export function setBody(code: string): Change;
export function prepend(code: string): Change;
export function setValue(code: string): Change;
