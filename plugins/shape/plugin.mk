LIBS := -lutf8proc
