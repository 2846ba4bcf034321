export function writeWireData(): void {}
