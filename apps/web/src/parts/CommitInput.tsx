import { TextInput, type TextInputProps } from "@mantine/core";
import { useEffect, useRef, useState } from "react";

/**
 * A text that takes effect on Enter or blur; Escape restores the value. An invalid text stays as typed,
 * with the reason below it, and so does one that is being typed while the value changes.
 */
export function CommitInput({
  value,
  onCommit,
  error,
  ...rest
}: Omit<TextInputProps, "value" | "onChange" | "onBlur" | "onKeyDown"> & {
  value: string;
  /** The reason why the text cannot be taken, or undefined when it was. */
  onCommit: (text: string) => string | undefined;
}) {
  const [text, setText] = useState(value);
  const [refused, setRefused] = useState<string>();
  const isTyping = useRef(false);
  useEffect(() => {
    if (isTyping.current) return;
    setText(value);
    setRefused(undefined);
  }, [value]);

  const commit = () => {
    isTyping.current = false;
    if (text.trim() === value) {
      setText(value);
      setRefused(undefined);
    } else setRefused(onCommit(text.trim()));
  };

  return (
    <TextInput
      {...rest}
      value={text}
      error={refused ?? error}
      onChange={(event) => {
        isTyping.current = true;
        setText(event.currentTarget.value);
      }}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === "Enter") {
          event.preventDefault();
          commit();
        }
        if (event.key === "Escape") {
          isTyping.current = false;
          setText(value);
          setRefused(undefined);
        }
      }}
    />
  );
}
