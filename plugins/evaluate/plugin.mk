LIBS := -lutf8proc $(LINALG)
