import { Section, type SectionConfig } from './section.js';

/** A section whose text stands as it is, without a heading: nothing in it is a placeholder. */
export class TextSection extends Section {
  readonly text: string;

  constructor({ text, ...config }: SectionConfig<undefined> & { readonly text: string }) {
    super(config);
    this.text = text;
  }

  override renderBody(): string {
    return this.text;
  }
}
